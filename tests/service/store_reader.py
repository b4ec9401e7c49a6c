"""Reads the tables of a store by SQL, as an analyst would."""

import json
import sqlite3
import struct

VECTORS = ("features", "context")


class SqliteReader:
    def __init__(self, path):
        self.path = path

    def rows(self, query):
        connection = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=10)
        connection.row_factory = sqlite3.Row
        try:
            return [decoded(dict(row)) for row in connection.execute(query)]
        finally:
            connection.close()


class PostgresReader:
    def __init__(self, cluster, database):
        self.cluster = cluster
        self.database = database

    def rows(self, query):
        lines = self.cluster.query(self.database,
                                   f"SELECT row_to_json(t) FROM ({query}) AS t;")
        return [decoded(json.loads(line)) for line in lines]


def decoded(row):
    for name in VECTORS:
        if name in row:
            row[name] = floats(row[name])
    if row.get("tags") is not None:
        row["tags"] = json.loads(row["tags"])
    if "uniform" in row:
        row["uniform"] = bool(row["uniform"])
    return row


def floats(value):
    if value is None:
        return []
    data = bytes.fromhex(value[2:]) if isinstance(value, str) else value
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def last_sequence(reader):
    """Everything up to this one is in the store."""
    return reader.rows("SELECT value FROM meta WHERE name = 'sequence'")[0]["value"]


def news(reader, after, until):
    """What happened to all bandits after one sequence up to another."""
    span = f"> {after} AND {{0}} <= {until}"

    def within(column):
        return f"{column} {span.format(column)}"

    decisions = reader.rows(f"SELECT * FROM decisions WHERE {within('sequence')}")
    rewards = reader.rows(f"SELECT * FROM rewards WHERE {within('sequence')}")
    columns = "bandit, added, place, arm, name, features, tags"
    # A version that was there before is needed if it ended since.
    arms = reader.rows(
        f"SELECT {columns}, 0 AS removed FROM arms "
        f"WHERE arm IS NOT NULL AND {within('added')} "
        f"UNION ALL SELECT {columns}, removed FROM former_arms "
        f"WHERE {within('added')} OR {within('removed')}")
    return decisions, rewards, arms
