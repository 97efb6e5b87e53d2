"""Monitoring of users and machines: screen, keys, clipboard, camera, processes."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import PREFIXES, PythonCall, handles
from engine.analysis.python.evaluate.values import PythonValue, Taint
from engine.analysis.python.rules import private as rules
from engine.analysis.python.rules.processes import KILL
from engine.analysis.python.word_lists import words
from engine.models import Level

WATCH = python_rule(
    "py-watch-user",
    "The screen, keyboard, clipboard or camera is monitored",
    "recon",
    Level.MEDIUM,
    attack="Sees what the user sees and types, passwords first of all.",
    why="MEDIUM: desktop tools do it too; HIGH for keys.",
    fix="Remove it.",
    match=(
        "import pyperclip\npyperclip.paste()",
        "from PIL import ImageGrab\nImageGrab.grab()",
        "from pynput import keyboard\nkeyboard.Listener(f)",
    ),
    not_match=("pyperclip", "import pyperclip\npyperclip.copy('a')"),
    cwe=200,
)


_HARMLESS_PSUTIL = frozenset(("psutil.cpu_count", "psutil.pid_exists", "psutil.wait_procs"))


def _psutil(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    last = call.name.rpartition(".")[2]
    if last in ("kill", "terminate", "suspend", "send_signal", "nice") and "(" in call.name:
        level = None
        evaluator.report(KILL, call.node, f"`{last}` of another process", severity=level)
        return None
    if call.name not in _HARMLESS_PSUTIL and call.name.count("(") == 0:
        evaluator.add_fact("recon", call.node)
        evaluator.report(
            rules.RECON, call.node, f"`{call.name}`: the machine and its processes", severity=Level.MEDIUM
        )
    return PythonValue(name=f"{call.name}()", taint=Taint.SYSTEM)


PREFIXES["psutil"] = _psutil


def _hardware(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    if "(" not in call.name:
        evaluator.add_fact("recon", call.node)
        message = f"`{call.name}`: the machine and its parts"
        evaluator.report(rules.RECON, call.node, message, severity=Level.MEDIUM)
    return PythonValue(name=f"{call.name}()", taint=Taint.SYSTEM)


for _module in words("GPUtil cpuinfo wmi pynvml netifaces distro screeninfo getmac usb nvidia_smi"):
    PREFIXES[_module] = _hardware


@handles(
    "PIL.ImageGrab.grab",
    "PIL.ImageGrab.grabclipboard",
    "pyautogui.screenshot",
    "pyscreenshot.grab",
    "mss.mss",
    "mss.mss().grab",
    "d3dshot.create",
    "pyperclip.paste",
    "pyperclip.waitForPaste",
    "clipboard.paste",
    "pandas.read_clipboard",
    "win32clipboard.GetClipboardData",
    "tkinter.Tk().clipboard_get",
    "cv2.VideoCapture",
    "pyaudio.PyAudio().open",
    "sounddevice.rec",
    "picamera.PiCamera",
    "autopy.bitmap.capture_screen",
    "pygetwindow.getAllTitles",
    "pygetwindow.getActiveWindow",
)
def screen(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report recordings of the screen or the microphone."""
    level = Level.LOW if call.name.startswith(("cv2", "pyaudio", "pandas")) else None
    if call.name != "mss.mss":
        evaluator.report(WATCH, call.node, f"`{call.name}`", severity=level)
    return PythonValue(name=f"{call.name}()", taint=Taint.SCREEN)


@handles(
    "pynput.keyboard.Listener",
    "pynput.mouse.Listener",
    "pynput.keyboard.GlobalHotKeys",
    "keyboard.on_press",
    "keyboard.on_release",
    "keyboard.hook",
    "keyboard.record",
    "keyboard.read_event",
    "pyHook.HookManager",
    "pyWinhook.HookManager",
    "pyxhook.HookManager",
    "evdev.InputDevice",
)
def keys(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report key loggers."""
    evaluator.report(WATCH, call.node, f"`{call.name}` sees every key", severity=Level.HIGH)
    return PythonValue(name=f"{call.name}()", taint=Taint.SCREEN)


@handles(
    "win32crypt.CryptUnprotectData",
    "browser_cookie3.chrome",
    "browser_cookie3.firefox",
    "keyring.get_password",
)
def stored_secrets(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report passwords and cookies that a browser or a key ring keeps."""
    evaluator.report(rules.SECRET, call.node, f"`{call.name}` returns the user's stored secrets")
    return PythonValue(name=f"{call.name}()", taint=Taint.SECRET | Taint.SENSITIVE)
