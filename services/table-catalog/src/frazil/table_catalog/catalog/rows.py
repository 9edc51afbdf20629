"""The tables of the database: those of Iceberg's SQL catalogs, and three of our own."""

from pyiceberg.catalog.sql import IcebergNamespaceProperties, IcebergTables
from sqlalchemy import BigInteger, Column, Index, MetaData, String, Table, Text

# The layout that PyIceberg's SqlCatalog and Java's JdbcCatalog know too.
ENTRIES: Table = IcebergTables.metadata.tables[IcebergTables.__tablename__]
PROPERTIES: Table = IcebergNamespaceProperties.metadata.tables[
    IcebergNamespaceProperties.__tablename__
]
ICEBERG: MetaData = IcebergTables.metadata

OURS = MetaData()

WAREHOUSES = Table(
    "frazil_warehouses",
    OURS,
    Column("name", String(255), primary_key=True),
    Column("location", String(1000), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

ANSWERS = Table(
    "frazil_answers",
    OURS,
    Column("warehouse", String(255), primary_key=True),
    Column("key", String(36), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("answer", Text, nullable=False),
    Column("made_ms", BigInteger, nullable=False, index=True),
)

# What is below a folder is found by comparing bytes, not by the rules of a language.
_FOLDER = String(1000).with_variant(String(1000, collation="C"), "postgresql")

FOLDERS = Table(
    "frazil_folders",
    OURS,
    Column("warehouse", String(255), primary_key=True),
    Column("namespace", String(255), primary_key=True),
    Column("name", String(255), primary_key=True),
    Column("folder", _FOLDER, primary_key=True),
    Index("frazil_folders_by_folder", "warehouse", "folder"),
)
