"""Names of popular packages, and of packages made for attacks."""

from __future__ import annotations

from typing import Final

from engine.analysis.python.word_lists import words

POPULAR: Final = frozenset(
    words(
        "requests urllib3 numpy pandas scipy sympy matplotlib seaborn sklearn torch torchvision "
        "tensorflow keras transformers datasets tokenizers flask django fastapi starlette uvicorn "
        "gunicorn jinja2 markupsafe werkzeug click typer rich tqdm pytest hypothesis setuptools wheel "
        "boto3 botocore s3transfer awscli certifi idna charset_normalizer chardet cryptography nacl "
        "paramiko bcrypt passlib sqlalchemy alembic psycopg2 pymysql pymongo redis celery kombu pydantic "
        "attrs dateutil pytz tzdata yaml toml tomli lxml bs4 beautifulsoup4 html5lib httpx aiohttp "
        "websockets websocket twisted tornado gevent eventlet scrapy selenium playwright pyautogui "
        "pyperclip pynput PIL pillow opencv cv2 imageio skimage networkx nltk spacy gensim statsmodels "
        "xgboost lightgbm catboost plotly bokeh dash streamlit gradio altair openpyxl xlrd xlsxwriter "
        "docx pypdf PyPDF2 reportlab pygame arcade kivy tkinter wx PyQt5 PySide6 colorama termcolor "
        "tabulate prettytable loguru structlog psutil docker kubernetes ansible fabric invoke jsonschema "
        "simplejson orjson ujson msgpack protobuf grpc joblib dask numba cython cffi pycparser pygments "
        "docutils sphinx mypy pylint flake8 black isort ruff bandit coverage tox nox poetry virtualenv "
        "pip packaging pluggy six future typing_extensions wrapt decorator cachetools filelock "
        "platformdirs appdirs xmltodict feedparser markdown mistune unidecode emoji faker arrow pendulum "
        "humanize inflect geopy shapely geopandas folium pyproj rasterio wordcloud textblob "
        "speech_recognition pyttsx3 gtts pydub moviepy librosa soundfile pyaudio serial usb bluetooth "
        "pywin32 win32com win32api wmi comtypes pexpect ptyprocess dns dnspython scapy nmap shodan tweepy "
        "praw telegram discord slack_sdk openai anthropic langchain tiktoken huggingface_hub accelerate "
        "diffusers gymnasium gym stable_baselines3 dill cloudpickle jsonpickle marshmallow pyarrow polars "
        "fastparquet h5py tables zstandard snappy"
    )
)
"""Import names and package names of the packages that are used most."""

DATA_IMAGE: Final = frozenset(
    ("numpy", "pandas", "scipy", "sympy", "matplotlib", "mpl_toolkits", "dateutil", "pytz")
)
"""What the image for data has."""

ATTACK_MODULES: Final = frozenset(
    words(
        "scapy pynput keyboard impacket pwn pwntools pymetasploit3 nmap shodan mitmproxy sqlmap pypykatz "
        "lsassy win32clipboard browser_cookie3 pycookiecheat frida pymem pyinjector d3dshot mss "
        "pyscreenshot stem pyarmor pytransform"
    )
)
"""Modules whose purpose is attacks, monitoring people, or obfuscation."""
