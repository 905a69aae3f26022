# Debian: python3-xmltodict
import json

import xmltodict

text = '<shop xmlns:x="urn:x" open="yes"><item id="1"><name>Pen &amp; ink</name></item><item id="2"/><x:note><![CDATA[<raw>]]></x:note></shop>'
data = xmltodict.parse(text)
print(json.dumps(data, indent=1))
print(xmltodict.unparse(data, pretty=True))
print(xmltodict.parse(text, force_list=('name',), attr_prefix='', process_namespaces=False)['shop']['item'][0])
try:
    xmltodict.parse('<a><b></a>')
except Exception as error:
    print(type(error).__name__, error)
