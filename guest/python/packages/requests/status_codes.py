"""The names of statuses: codes.not_found is 404."""

import http

from .structures import LookupDict

# The names that http.HTTPStatus does not have.
OTHERS = """
103 checkpoint
122 uri_too_long request_uri_too_long
200 okay all_ok all_okay all_good
203 non_authoritative_info
205 reset
206 partial
207 multiple_status multi_stati multiple_stati
301 moved
303 other
306 switch_proxy
307 temporary_moved temporary
308 resume_incomplete resume
400 bad
402 payment
405 not_allowed
407 proxy_auth proxy_authentication
408 timeout
412 precondition
414 request_uri_too_large
415 unsupported_media media_type
416 requested_range range_not_satisfiable
418 teapot i_am_a_teapot
422 unprocessable
424 dependency
425 unordered_collection unordered
426 upgrade
428 precondition
429 too_many
431 header_fields_too_large fields_too_large
444 no_response none
449 retry_with retry
450 blocked_by_windows_parental_controls parental_controls
451 legal_reasons
499 client_closed_request
500 server_error
503 unavailable
505 http_version
509 bandwidth_limit_exceeded bandwidth
511 network_auth network_authentication
"""

_codes = {int(status): (status.name.lower(),) for status in http.HTTPStatus}
for _line in OTHERS.strip().splitlines():
    _status, *_names = _line.split()
    _codes[int(_status)] = _codes.get(int(_status), ()) + tuple(_names)
codes = LookupDict('status_codes')
for _status, _names in _codes.items():
    for _name in _names:
        setattr(codes, _name, _status)
        setattr(codes, _name.upper(), _status)
