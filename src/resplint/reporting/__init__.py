"""Reports on SARIF files: a page, a table, a trend.

Unlike `output`, which writes what a scan found, this reads what scans left behind, those of other tools too: bytes of
SARIF 2.1.0 become records that hold nothing but text (`collect`), and each form is a function from these to bytes. What
is in the files is not trusted.
"""
