"""What numpy, pandas and matplotlib offer to a program that computes and draws, and why it is safe."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.analysis.verdict.python.data import signatures
from engine.analysis.verdict.python.data.pictures import FUNCTIONS as PICTURES
from engine.analysis.verdict.python.safe_module import SafeModule, module

_NUMPY_TYPES = """
bool_ int8 int16 int32 int64 intp int_ uint uint8 uint16 uint32 uint64 float16 float32 float64
complex64 complex128 str_ bytes_ object_ datetime64 timedelta64 number integer floating
signedinteger unsignedinteger inexact complexfloating generic longdouble half single double
"""
_NUMPY_UFUNCS = """
abs absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_not
bitwise_or bitwise_xor cbrt ceil conj conjugate copysign cos cosh deg2rad degrees divide divmod equal
exp exp2 expm1 fabs float_power floor floor_divide fmax fmin fmod frexp gcd greater greater_equal
heaviside hypot invert isfinite isinf isnan lcm ldexp left_shift less less_equal log log10 log1p log2
logaddexp logaddexp2 logical_and logical_not logical_or logical_xor matmul maximum minimum mod modf
multiply negative nextafter not_equal positive power rad2deg radians reciprocal remainder right_shift
rint sign signbit sin sinh spacing sqrt square subtract tan tanh true_divide trunc
"""
_NUMPY_MAKERS = """
copy diag diagflat fromfunction meshgrid mgrid ogrid tril tril_indices triu triu_indices vander
"""
_NUMPY_FUNCTIONS = """
all allclose amax amin angle any append apply_along_axis apply_over_axes argmax argmin argpartition
argsort argwhere around array_equal array_equiv array_split atleast_1d atleast_2d atleast_3d
average block broadcast_shapes clip compress
convolve corrcoef correlate count_nonzero cov cross cumprod cumsum delete diagonal diff
digitize divide dot dsplit ediff1d einsum expand_dims extract fix flatnonzero flip fliplr flipud
gradient hamming hanning blackman bartlett kaiser histogram histogram2d histogram_bin_edges hsplit
i0 imag inner insert interp intersect1d isclose iscomplex iscomplexobj isin isreal isrealobj
isscalar issubdtype kron lexsort max mean median min moveaxis nan_to_num nanargmax nanargmin nancumsum
nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar ndenumerate ndim
ndindex nonzero outer pad partition percentile piecewise polyadd polyder polydiv polyfit polyint
polymul polysub polyval prod ptp quantile ravel ravel_multi_index real reshape
resize result_type roll rollaxis roots rot90 round searchsorted select setdiff1d setxor1d shape sinc
size sort split squeeze std sum swapaxes take take_along_axis tensordot tile trace transpose
trapz trapezoid trim_zeros unique union1d unravel_index unwrap vander var vdot vsplit
where seterr iinfo finfo
"""
_NUMPY_CONSTANTS = "e pi inf nan newaxis euler_gamma"
_RANDOM = """
beta binomial bytes chisquare choice default_rng dirichlet exponential gamma geometric gumbel
hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial
normal pareto permutation poisson power rand randint randn random random_integers random_sample ranf
rayleigh sample seed shuffle standard_cauchy standard_exponential standard_gamma standard_normal
standard_t triangular uniform vonmises wald weibull zipf
"""
_LINALG = """
cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_norm matrix_power matrix_rank matrix_transpose
multi_dot norm pinv qr slogdet solve svd svdvals tensorinv tensorsolve trace vector_norm LinAlgError
"""
_FFT = """
fft fft2 fftn fftfreq fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2
rfftfreq rfftn
"""

NUMPY: Mapping[str, SafeModule] = MappingProxyType(
    {
        "numpy": module(
            "Arrays in memory. Not listed is what reads or writes files (`load`, `fromfile`, `memmap`), makes"
            " views without bounds (`lib.stride_tricks`), or looks names up in frames (`r_`, `bmat`).",
            f"{_NUMPY_TYPES} {_NUMPY_UFUNCS} {_NUMPY_MAKERS} {_NUMPY_FUNCTIONS} {_NUMPY_CONSTANTS}",
            types="ndarray dtype",
            calls="loadtxt genfromtxt savetxt set_printoptions vectorize "
            + " ".join(path.removeprefix("numpy.") for path in (*signatures.MAKERS, *signatures.JOINERS)),
        ),
        "numpy.fft": module("Computes.", _FFT),
        "numpy.linalg": module("Computes.", _LINALG),
        "numpy.random": module(
            "Computes from a seed or the kernel's random numbers.", _RANDOM, types="Generator RandomState"
        ),
        "numpy.typing": module("Annotations.", "", types="ArrayLike DTypeLike NDArray"),
    }
)

PANDAS: Mapping[str, SafeModule] = MappingProxyType(
    {
        "pandas": module(
            "Tables in memory. Not listed is what reads or writes more than a text table, or evaluates text.",
            "NA NaT concat cut factorize isna isnull melt merge notna notnull qcut to_datetime to_numeric"
            " to_timedelta unique",
            calls="DataFrame Index Series Timedelta Timestamp crosstab date_range get_dummies pivot_table"
            " read_csv set_option",
        ),
        "pandas.errors": module("Exceptions.", "EmptyDataError MergeError ParserError"),
    }
)

MATPLOTLIB: Mapping[str, SafeModule] = MappingProxyType(
    {
        "matplotlib": module("Chooses what draws without a window.", "", calls="use"),
        "matplotlib.axes": module("Annotations.", "", types="Axes"),
        "matplotlib.figure": module("Annotations.", "", types="Figure"),
        "matplotlib.pyplot": module(
            "Draws in memory, and saves pictures under names that are spelled out. Not listed is what sets"
            " fonts and other parameters, reads files, opens windows, or animates.",
            "",
            calls=" ".join(
                name for _, _, name in (path.rpartition(".") for path in PICTURES) if name != "use"
            ),
            types="Axes Figure",
        ),
    }
)

DATA_MODULES: Mapping[str, SafeModule] = MappingProxyType({**NUMPY, **PANDAS, **MATPLOTLIB})
"""What may be imported, by the module's full name."""
