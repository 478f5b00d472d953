/**
 * A call of every route but those of the memory store, in an order in which each finds what it asks for. `first`: on a
 * server without an administrator; `second` with the administrator's token, `{scroll}` being an open scroll.
 */
export const serviceCalls = {
  first: `
GET /_adminExists
POST /_createFirstAdmin {"_id":"admin-1","password":"a long password","name":"Ada"}
412 POST /users/admin-2/_createFirstAdmin {"password":"a long password"}
POST /_login {"username":"admin-1","password":"a long password","expiresIn":"10m"}
401 POST /_login {"username":"admin-1","password":"wrong"}
401 GET /_list
400 GET /_login/nowhere
POST /_login/local {"username":"admin-1","password":"a long password"}
POST /_checkToken {"token":"a.b.c"}
POST /users/_createRestricted {"password":"a long password"}
POST /users/signed-up/_createRestricted {"password":"a long password","city":"Nantes"}
`,
  second: `
GET /users/_me
GET /users/_me/_rights
GET /strategies
PUT /_updateSelf {"name":"Ada L."}
GET /credentials/local/_me/_exists
409 POST /credentials/local/_me/_create {"password":"another password"}
PUT /credentials/local/_me/_update {"password":"a longer password"}
400 DELETE /credentials/none/_me
PUT /library
409 PUT /library
GET /library/_exists
GET /_list
GET /library/_autoRefresh
POST /library/_autoRefresh {"autoRefresh":true}
PUT /library/books {"properties":{"year":{"type":"integer"},"title":{"type":"text"}}}
GET /library/books/_exists
PUT /library/books/_mapping?dryRun=true {"properties":{"tags":{"type":"keyword"}}}
PUT /library/books/_mapping {"properties":{"tags":{"type":"keyword"}}}
GET /library/books/_mapping
GET /library/_list?from=0&size=5
GET /library/_list/stored
404 GET /library/books/_specifications
PUT /_specifications {"library":{"books":{"strict":false,"fields":{"year":{"type":"integer","mandatory":false}}}}}
400 PUT /_specifications {"library":{"books":{"strict":false,"fields":{"year":{"type":"no such type"}}}}}
POST /_validateSpecifications {"library":{"books":{"strict":"yes","fields":{}}}}
GET /library/books/_specifications
POST /validations/_search?from=0&size=3 {"query":{"match_all":{}}}
POST /library/books/_create {"title":"The Mill on the Floss","year":1860,"tags":["novel"]}
PUT /library/books/_create?refresh=wait_for {"_id":"own","title":"Silas Marner","year":1861}
POST /library/books/one/_create {"title":"One","year":1}
PUT /library/books/two/_create?silent=true {"title":"Two","year":2}
409 POST /library/books/one/_create {"title":"One"}
400 POST /library/books/_create {"year":"not a number"}
PUT /library/books/one {"title":"One again","year":1}
PUT /library/books/three/_createOrReplace {"title":"Three","year":3}
PUT /library/books/one/_replace?ifVersion=2 {"title":"Uno","year":1}
PUT /library/books/one/_update {"note":"merged"}
POST /library/books/one/_upsert {"doc":{"note":"again"}}
POST /library/books/four/_upsert {"doc":{"year":4},"default":{"title":"Four"}}
PUT /library/books/_byQuery {"query":{"term":{"year":4}},"doc":{"note":"found"}}
206 PUT /library/books/_byQuery {"query":{"term":{"year":4}},"doc":{"year":"no number"}}
409 PUT /library/books/one/_update?ifVersion=1 {"note":"late"}
GET /library/books/one
404 GET /library/books/none
POST /library/books/_validate {"year":"x"}
POST /library/books/_count {"query":{"term":{"tags":"novel"}}}
POST /library/books/_explain {"query":{"match":{"title":"mill"}},"aggregations":{"years":{"percentiles":{"field":"year"}}}}
POST /library/books/_search?from=0&size=2 {"query":{"match":{"title":"mill"}},"aggregations":{"years":{"terms":{"field":"year"}}},"highlight":{"fields":{"title":{}}},"sort":["_score",{"year":"asc"}]}
POST /_scroll/{scroll}?scroll=1m
POST /library/books/_mCreate {"documents":[{"_id":"a","body":{"n":1}},{"body":{"n":2}}]}
206 POST /library/books/_mCreate {"documents":[{"_id":"a","body":{"n":1}},{"_id":"b","body":{"n":2}}]}
PUT /library/books/_mCreateOrReplace {"documents":[{"_id":"a","body":{"n":3}}]}
PUT /library/books/_mReplace {"documents":[{"_id":"a","body":{"n":4}}]}
206 PUT /library/books/_mUpdate {"documents":[{"_id":"a","body":{"m":1}},{"_id":"none","body":{}}]}
POST /library/books/_mGet {"ids":["a"]}
206 POST /library/books/_mGet {"ids":["a","none"]}
206 DELETE /library/books/_mDelete {"ids":["a","none"]}
POST /library/books/_bulk {"bulkData":[{"index":{"_id":"c"}},{"n":1},{"update":{"_id":"c"}},{"doc":{"n":2}},{"delete":{"_id":"c"}}]}
206 POST /_bulk {"bulkData":[{"create":{"_index":"library","_type":"books","_id":"d"}},{"n":1},{"create":{"_index":"library","_type":"books","_id":"d"}},{"n":1}]}
POST /library/_bulk {"bulkData":[{"index":{"_type":"books","_id":"d"}},{"n":2}]}
POST /library/_refresh
GET /_refreshInternal
POST /library/books {"text":"a message"}
POST /library/books/_publish?_id=m1 {"text":"a message"}
GET /library/books/_changes?filter=%7B%22exists%22%3A%7B%22field%22%3A%22title%22%7D%7D
POST /library/books/_changes {"exists":{"field":"title"}}
400 GET /library/books/_changes?wait=soon
POST /_ticket
400 GET /library/books/_subscribe?scope=some
400 POST /library/books/_subscribe?ticket=unknown {"exists":{"field":"title"}}
GET /_listSubscriptions
GET /_namedSubscriptions
404 DELETE /_namedSubscriptions/till-7
DELETE /library/books/two
DELETE /library/books/_query {"query":{"term":{"year":3}}}
DELETE /library/books/_specifications
DELETE /library/books/_history
DELETE /library/books/_truncate
DELETE /library/books
DELETE /library
PUT /passing
DELETE /_mDelete {"indexes":["passing","none"]}
POST /roles/reader/_create {"controllers":{"document":{"actions":{"get":true,"search":{"when":{"equals":{"request.index":"a"}}}}}}}
PUT /roles/writer {"indexes":{"*":{"collections":{"*":{"controllers":{"document":{"actions":{"*":true}}}}}}}}
PUT /roles/writer/_createOrReplace {"indexes":{"*":{"collections":{"*":{"controllers":{"document":{"actions":{"*":true}}}}}}}}
POST /roles/reader {"controllers":{"document":{"actions":{"count":true}}}}
GET /roles/reader
POST /roles/_mget {"ids":["reader","none"]}
POST /roles/_search?size=5 {"controllers":["document"]}
POST /profiles/readers/_create {"policies":[{"roleId":"reader","restrictedTo":[{"index":"a","collections":["b"]}]}]}
PUT /profiles/readers {"roles":[{"_id":"reader"}]}
PUT /profiles/readers/_createOrReplace {"policies":[{"roleId":"reader"}]}
POST /profiles/readers {"policies":[{"roleId":"reader"}]}
GET /_profiles/readers
GET /_profiles/readers/_rights
POST /profiles/_mget {"ids":["readers"]}
POST /profiles/_search {"policies":["reader"]}
412 DELETE /roles/reader
POST /users/_create {"profileIds":["readers"],"password":"a long password"}
POST /users/u1/_create {"profileIds":["readers"],"password":"a long password","age":3}
PUT /users/u2 {"profileId":"readers","password":"a long password"}
POST /users/u2 {"age":4}
GET /users/u2
POST /users/u2/_explain {"controller":"document","action":"search","index":"city","collection":"stations"}
POST /users/u2/_revokeTokens {}
GET /_users/u2/_rights
POST /users/_search {"query":{"term":{"profileIds":"readers"}}}
POST /api-keys/_create {"name":"import","policies":[{"roleId":"reader"}],"allowedAddresses":["192.0.2.0/24"]}
POST /api-keys/_search?size=5
404 POST /api-keys/aaaaaaaa/_rotate {"graceMs":1000}
404 DELETE /api-keys/aaaaaaaa
POST /users/u2/api-keys/_create {"name":"service"}
POST /users/u2/api-keys/_search
404 POST /users/u2/api-keys/aaaaaaaa/_rotate
404 DELETE /users/u2/api-keys/aaaaaaaa
GET /users/_mapping
PUT /users/_mapping {"properties":{"visits":{"type":"integer"}}}
DELETE /users/u2
PUT /profiles/passing {"policies":[{"roleId":"reader"}]}
DELETE /_profiles/passing
PUT /roles/passing {"controllers":{}}
DELETE /roles/passing
GET /_serverInfo
GET /
GET /_now
GET /_getConfig
412 GET /_logs
GET /livez
GET /readyz
GET /startupz
GET /_healthCheck
GET /_metrics
GET /_getLastStats
GET /_getAllStats
POST /_getStats?startTime=0
POST /_backup {"note":"before the upgrade"}
GET /_backups
404 POST /_backups/2026-11-23T03-00-00-000Z/_download
401 GET /_backups/_download/unknown
GET /_move
412 POST /_move {"to":"sqlite"}
409 DELETE /_move
404 POST /library/books/_restoreFromBackup {"backup":"2026-11-23T03-00-00-000Z","as":"again"}
POST /_getStats {"startTime":0,"stopTime":9999999999999}
GET /_openapi
GET /swagger.json
GET /_asyncapi
POST /_refreshToken {"expiresIn":600}
`,
  last: `
DELETE /credentials/local/_me
POST /credentials/local/_me/_create {"password":"a new password"}
GET /_logout
401 GET /_logout
`,
} as const;
