"""What was seen on the wire: recording, replay, the proxy server and the scripted model server."""
