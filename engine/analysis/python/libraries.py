"""What functions of libraries do to files, addresses and databases: a new library is a row.

A row is: the effect, the position and the name of the argument that it is about, and the functions.
`*.name` is that method of an object of any class. What is read or written at an address (`https://…`,
`s3://…`) is a request.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Access(NamedTuple):
    """What one function does."""

    effect: str
    """`read` and `write` a path or an address, `upload` a file by its path, `query` with SQL, `drop` data."""
    position: int
    keyword: str


_ROWS = """
read  0 filepath_or_buffer  pandas.read_csv pandas.read_table pandas.read_fwf pandas.read_sas
read  0 path_or_buf         pandas.read_json pandas.read_hdf
read  0 io                  pandas.read_excel pandas.read_html
read  0 path                pandas.read_parquet pandas.read_feather pandas.read_orc polars.read_parquet
read  0 path_or_buffer      pandas.read_xml pandas.read_stata
read  0 source              polars.read_csv polars.read_json polars.scan_csv
read  0 fname               numpy.loadtxt numpy.genfromtxt matplotlib.pyplot.imread
read  0 file                numpy.fromfile numpy.memmap
read  0 fp                  PIL.Image.open
read  0 filename            cv2.imread openpyxl.load_workbook h5py.File
read  0 src                 fitz.open
write 0 path_or_buf         *.to_csv *.to_json *.to_hdf
write 0 excel_writer        *.to_excel
write 0 path                *.to_parquet *.to_feather *.to_pickle *.to_stata *.to_orc *.write_parquet
write 0 path_or_buffer      *.to_xml
write 0 buf                 *.to_html *.to_markdown *.to_latex
write 0 fid                 *.tofile
write 0 fname               numpy.savetxt *.savefig matplotlib.pyplot.imsave
write 0 file                numpy.save numpy.savez numpy.savez_compressed *.write_csv
write 0 filename            cv2.imwrite joblib.dump_to
write 1 filename            joblib.dump
write 1 f                   torch.save
write 1 uri                 imageio.imwrite
upload 0 Filename           boto3.client().upload_file boto3.resource().meta.client.upload_file
upload 0 localpath          paramiko.SSHClient().open_sftp().put paramiko.SFTPClient.from_transport().put
upload 0 filename           google.cloud.storage.Client().bucket().blob().upload_from_filename
upload 0 local              fabric.Connection().put
query 0 sql                 pandas.read_sql pandas.read_sql_query *.execute *.executemany *.executescript
query 0 text                sqlalchemy.text
query 0 query               *.raw *.exec_driver_sql *.fetch *.fetchrow *.fetchval
drop  0 name                *.drop_database *.drop_collection *.drop_all *.flushall *.flushdb *.delete_bucket
drop  0 filter              *.delete_many
"""


def _accesses() -> dict[str, Access]:
    found = {}
    for line in _ROWS.strip().splitlines():
        effect, position, keyword, *names = line.split()
        found.update(dict.fromkeys(names, Access(effect, int(position), keyword)))
    return found


LIBRARIES: Final = _accesses()
"""What each function of the table does, by its qualified name or `*.name`."""
