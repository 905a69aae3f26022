# SQLite keeps temporary tables in memory: builds of it crash when they make files for them.

connect_database = sqlite3.connect


@functools.wraps(connect_database)
def connect(*args, **kwargs):
    connection = connect_database(*args, **kwargs)
    with contextlib.suppress(sqlite3.Error):  # the caller's class may make connections that cannot be used
        connection.execute('pragma temp_store = memory').close()
    return connection


sqlite3.connect = sqlite3.dbapi2.connect = connect
del connect
