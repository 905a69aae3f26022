# Debian: python3-networkx; modules: bz2
import networkx as nx

g = nx.Graph()
g.add_weighted_edges_from([('a', 'b', 4), ('a', 'c', 2), ('b', 'c', 1), ('b', 'd', 5), ('c', 'd', 8), ('c', 'e', 10),
                           ('d', 'e', 2)])
print(nx.dijkstra_path(g, 'a', 'e', weight='weight'), nx.dijkstra_path_length(g, 'a', 'e', weight='weight'))
print(sorted(map(sorted, nx.minimum_spanning_tree(g).edges())))
print({n: round(c, 4) for n, c in sorted(nx.betweenness_centrality(g).items())})
d = nx.DiGraph([('shirt', 'tie'), ('tie', 'jacket'), ('trousers', 'shoes'), ('trousers', 'belt'), ('belt', 'jacket')])
print(list(nx.lexicographical_topological_sort(d)), nx.is_directed_acyclic_graph(d))
print(sorted(map(len, nx.connected_components(nx.from_edgelist([(1, 2), (2, 3), (4, 5)])))))
flow, parts = nx.maximum_flow(nx.DiGraph([('s', 'x', {'capacity': 3}), ('s', 'y', {'capacity': 2}),
                                          ('x', 't', {'capacity': 2}), ('y', 't', {'capacity': 3}),
                                          ('x', 'y', {'capacity': 5})]), 's', 't')
print(flow)
print(nx.to_dict_of_lists(nx.cycle_graph(4)), nx.diameter(nx.path_graph(9)), nx.density(g))
try:
    nx.shortest_path(nx.Graph([(1, 2), (3, 4)]), 1, 4)
except nx.NetworkXNoPath as error:
    print(error)
