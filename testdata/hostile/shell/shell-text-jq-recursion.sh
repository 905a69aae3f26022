# Recurses in jq without end.
# ends: time limit or memory limit or exits 1 or exits 2 or exits 5
jq -n 'def f: f + f; f'
