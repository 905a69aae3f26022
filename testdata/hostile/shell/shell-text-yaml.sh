# Has a document of YAML whose aliases double.
# ends: time limit or memory limit or exits 1 or exits 2 or exits 0
{
	echo 'a0: &a0 [x, x]'
	for i in {1..40}; do
		echo "a$i: &a$i [*a$((i - 1)), *a$((i - 1))]"
	done
} | yq -o json . | wc -c
