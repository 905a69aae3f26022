# Makes a line longer without end.
# ends: time limit or memory limit or exits 1 or exits 2
echo | sed ':a;s/$/x/;ta'
