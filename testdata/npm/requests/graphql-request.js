const { GraphQLClient, gql, request } = require('graphql-request');
const query = gql`query One($id: ID!) { item(id: $id) { name } }`;
const client = new GraphQLClient(`${base}/graphql`, { headers: { authorization: 'Bearer t' } });
const out = [await request(`${base}/graphql`, query, { id: '1' }), await client.request(query, { id: '2' })];
out.push(await client.request(query, { id: 'bad' }).catch((e) => [e.response.status, e.response.errors[0].message]));
return JSON.stringify(out);
