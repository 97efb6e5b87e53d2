"""The attributes that objects of numpy have (numpy 2.2).

A program that uses numpy and defines an attribute of such a name is not proven where it reads it, unless
the name is listed as safe.
"""

from __future__ import annotations

from engine.analysis.python.word_lists import words

OF_NUMPY = frozenset(
    words(
        """
Q R S T U Vh _all _asdict _bit_generator _call _call_as_normal _coeffs _divide _doc
_field_defaults _fields _finfo_cache _get_strided_loop _get_ufunc_and_otypes _implementation
_in_and_out_core_dims _init _init_stage_2 _invalid _it _machar _make _max_vals _min_vals _over
_poisson_lam_max _replace _resolve_dtypes_and_context _str_eps _str_epsneg _str_max
_str_resolution _str_smallest_normal _str_smallest_subnormal _str_tiny _token _ufunc _under
_variable _vectorize_call _vectorize_call_with_signature _warn_on_write _writeable_no_warn
accumulate aligned alignment all any argmax argmin argpartition argsort as_integer_ratio astype at
axis base behaved beta binomial bit_count bit_generator bits byteorder bytes byteswap c
c_contiguous cache capitalize carray casefold center char chisquare choice choose clip coef
coefficients coeffs compress concatenate conj conjugate contiguous coords copy count ctypes
cumprod cumsum data decode denominator deriv descr device diagonal dirichlet dot dtype dump dumps
eigenvalues eigenvectors encode endswith eps epsneg excluded expandtabs exponential f f_contiguous
farray fields fill find flags flat flatten fnc forc format format_map fortran fromhex gamma
geometric get_state getfield gumbel hasobject hex hypergeometric identity iexp imag index integ
integers is_integer isalignedstruct isalnum isalpha isascii isbuiltin isdecimal isdigit
isidentifier islower isnative isnumeric isprintable isspace istitle isupper item itemset itemsize
iter join key kind laplace ljust logabsdet logistic lognormal logseries lower lstrip mT machep
makemat maketrans matrix max maxexp mean metadata min minexp multinomial
multivariate_hypergeometric multivariate_normal name names nargs nbytes ndim ndincr ndmin
negative_binomial negep newbyteorder nexp nin nmant noncentral_chisquare noncentral_f nonzero
normal nout ntypes num numerator o order otypes outer owndata pareto partition permutation
permuted poisson power precision prod ptp put pyfunc r rand randint randn random random_integers
random_sample ravel rayleigh real reduce reduceat removeprefix removesuffix repeat replace reshape
resize resolution resolve_dtypes rfind rindex rjust roots round rpartition rsplit rstrip
searchsorted seed set_state setfield setflags shape shuffle sign signature size smallest_normal
smallest_subnormal sort sparse spawn split splitlines squeeze standard_cauchy standard_exponential
standard_gamma standard_normal standard_t startswith std str strides strip subdtype sum swapaxes
swapcase take tiny title to_device tobytes tofile tolist tomaxint tostring trace trans1d translate
transpose triangular type types uniform upper var variable view vonmises wald weibull writeable
writebackifcopy zfill zipf
"""
    )
)
"""Those of arrays, scalars, types, functions and generators of random numbers."""
