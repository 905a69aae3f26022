# Connects to a port of the machine.
# ends: exception OSError
import socket
socket.socket().connect(('127.0.0.1', 22))
