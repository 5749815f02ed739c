"""HealthProbe bundles and tables in Arrow, pandas, Polars, Spark and DuckDB, with the columns and types of Spec.

Nothing is verified here: hp-verify or healthprobe-verify comes first.
"""
