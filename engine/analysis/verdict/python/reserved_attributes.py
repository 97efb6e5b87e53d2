"""Attributes that objects of the interpreter and of listed modules have, and that are not on the list of
safe ones.

A program that defines an attribute of such a name is not proven where it reads it: the value could be a
frame, a function or a stream. The names are those of CPython 3.11 and 3.13.
"""

from __future__ import annotations

from engine.analysis.python.word_lists import words

RESERVED = frozenset(
    words(
        """
ASCII DEBUG DOTALL Emax Emin Etiny Etop FRIDAY I IGNORECASE L LOCALE M MAXLINES
MAX_DIGEST_SIZE MAX_KEY_SIZE MONDAY MULTILINE NOFLAG PERSON_SIZE S SALT_SIZE SATURDAY
SUNDAY T TEMPLATE THURSDAY TUESDAY U UNICODE VERBOSE VERSION WEDNESDAY X _CHUNK_SIZE
_MutableMapping__marker _ORIGIN _Printer__setup _SequenceMatcher__chain_b
_abc_caches_clear _abc_impl _abc_registry_clear _add_alias_ _add_member_ _add_value_alias_
_all_bits_ _apply _boundary_ _checkClosed _checkReadable _checkSeekable _checkWritable
_check_for_existing_members_ _class_getitem_inner _co_code_adaptive _convert_ _create_
_determine_new_args _dict_to_list _divmod _dump _dump_registry _encoded_counterpart _evaluate
_exceptions _fancy_helper _fancy_replace _field_type _finalizing _find_data_repr_
_find_data_type_ _find_new_ _firstweekday _flag_mask_ _floordiv _format_float_style
_format_general _from_coprime_ints _from_flags _from_iterable _generate_next_value_
_get_mixins_ _get_value _getitem _hashable_values_ _hmac _hostinfo _init_hmac _init_old
_inst _invalid _inverted_ _is_protocol _is_runtime_protocol _iter_member_
_iter_member_by_def_ _iter_member_by_value_ _keep_positive _make_substitution
_make_unbound_method _member_map_ _member_names_ _member_type_ _missing_ _multiarch _name
_name_ _new_member_ _nparams _numeric_repr_ _operator_fallbacks _paramspec_tvars
_plain_replace _qformat _randbelow _randbelow_with_getrandbits
_randbelow_without_getrandbits _recreate_cm _removal_version _richcmp _singles_mask_
_sort_order_ _unhashable_values_ _unhashable_values_map_ _use_args_ _userinfo _valid
_validate _value2member_map_ _value_ _value_repr_ _varname_from_oparg aclose ag_await
ag_code ag_frame ag_running ag_suspended algorithm all_tasks_done allow_nan asend athrow
attrname autojunk binomialvariate bits_per_digit bjunk blocksize bpopular braceidpattern
buffer buffer_info bytes_le bytes_warning c_contiguous cache_tag cached canonical capitals
cast cell_contents characters_written charjunk check_circular clamp clear_flags
clear_traps clock_seq clock_seq_hi_variant clock_seq_low co_argcount co_cellvars co_code
co_consts co_exceptiontable co_filename co_firstlineno co_flags co_freevars
co_kwonlyargcount co_lines co_linetable co_lnotab co_name co_names co_nlocals co_positions
co_posonlyargcount co_qualname co_stacksize co_varnames compare_signal compare_total
compare_total_mag compiler_flag contiguous copy_decimal copy_negate copy_with cr_await
cr_code cr_frame cr_origin cr_running cr_suspended create_decimal
create_decimal_from_float create_module cutoff debug default_max_str_digits derive detach
dev_mode divide_int divmod dont_write_bytecode doublequote end_lineno end_offset
ensure_ascii enter_result escapechar exec_module f_back f_builtins f_code f_contiguous
f_globals f_lasti f_lineno f_locals f_trace f_trace_lines f_trace_opcodes fdel fget
filename2 fileno find_longest_match find_module find_spec format format_map formatday
formatmonthname formatweek formatweekday formatweekheader fromfile fromisocalendar
fromunicode fromutc fset fullbcount gammavariate gauss_next gen getMandatoryRelease
getOptionalRelease get_code get_grouped_opcodes get_identifiers get_source getbuffer
getfirstweekday gi_code gi_frame gi_running gi_suspended gi_yieldfrom gil has_default
has_location hash_bits hash_randomization hexversion idpattern ignore_environment init
inspect int_max_str_digits interactive is_canonical is_normal is_package is_qnan is_safe
is_shutdown is_snan is_subnormal is_valid isjunk isolated item_separator iter_unpack
itermonthdays2 itermonthdays3 itermonthdays4 key_separator kw_only kwargs kwds
line_buffering linejunk lineterminator load_module logb logical_and logical_invert
logical_or logical_xor lognormvariate mandatory matching_blocks max_10_exp max_exp max_mag
memo metadata min_10_exp min_exp min_mag module_repr monthdays2calendar mro n_fields
n_sequence_fields n_unnamed_fields name_from next_minus next_plus next_toward no_site
no_user_site not_empty not_full number_class obj object_hook object_pairs_hook opcodes
optimize pack_into paretovariate parse_array parse_constant parse_float parse_int
parse_object parse_string print_file_and_line prweek quantiles quiet quoting read1 reader
readinto readinto1 readonly register real_quick_ratio reconfigure remainder_near repr safe_path
same_quantum scan_once scanner seed_bits set_seq1 set_seq2 set_seqs setfirstweekday
shutdown sizeof_digit skipinitialspace skipkeys skipped sort_keys
str_digits_check_threshold strict subgroup suboffsets tb_frame tb_lasti tb_lineno tb_next
time_hi_version time_low time_mid to_integral to_integral_exact to_sci_string tofile
toreadonly tounicode type unfinished_tasks unpack_from unused_data utf8_mode
vonmisesvariate warn_default_encoding weibullvariate with_traceback write_through
yeardatescalendar yeardays2calendar yeardayscalendar
"""
    )
)
