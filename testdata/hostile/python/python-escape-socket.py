# Opens a socket.
# ends: exception OSError
import socket
socket.socket()
