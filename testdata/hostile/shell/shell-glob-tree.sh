# Matches ** many times in a tree.
# ends: time limit or memory limit or exits 1 or exits 2
shopt -s globstar; mkdir -p a/{1..9}/{1..9}/{1..9}; for i in {1..1000}; do echo **/**/**/**/**/*; done
