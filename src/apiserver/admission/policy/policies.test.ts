import assert from "node:assert/strict";
import { test } from "node:test";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import type { Answer, TestApiServer } from "#/testing/start-api-server.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/n/configmaps";

const configMaps = {
  resourceRules: [
    { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] },
  ],
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
};

/** A server with one policy and its binding. */
async function start(
  kind: "validating" | "mutating",
  spec: object,
  binding: object = {},
  options: Parameters<typeof startAdmittingServer>[1] = {},
): Promise<TestApiServer> {
  const api = await startAdmittingServer([], options);
  await api.call("POST", "/api/v1/namespaces", { metadata: { name: "n", labels: { team: "a" } } });
  const actions = kind === "validating" ? { validationActions: ["Deny"] } : {};
  const created = [
    await api.call("POST", `${group}/${kind}admissionpolicies`, {
      metadata: { name: "p" },
      spec: { failurePolicy: "Fail", matchConstraints: configMaps, ...spec },
    }),
    await api.call("POST", `${group}/${kind}admissionpolicybindings`, {
      metadata: { name: "b" },
      spec: { policyName: "p", ...actions, ...binding },
    }),
  ];
  for (const { status, text } of created) assert.equal(status, 201, text);
  return api;
}

const create = (api: TestApiServer, data?: object): Promise<Answer> =>
  api.call("POST", maps, { metadata: { name: "m" }, ...(data ? { data } : {}) });

const denied = (why: string): string =>
  `configmaps "m" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${why}`;

test("ValidatingAdmissionPolicy refuses a request if its expression is false", async () => {
  await using api = await start("validating", {
    validations: [{ expression: "has(object.data)" }],
  });
  const { status, json } = await create(api);
  const message = denied("failed expression: has(object.data)");
  assert.equal(status, 422);
  assert.deepEqual(json, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "Invalid",
    details: {
      name: "m",
      kind: "configmaps",
      causes: [{ message: message.replace('configmaps "m" is forbidden: ', "") }],
    },
    code: 422,
  });
  assert.equal((await create(api, { a: "b" })).status, 201);
});

const validations: {
  readonly name: string;
  readonly spec: object;
  readonly status: number;
  readonly message: string;
}[] = [
  {
    name: "a message",
    spec: { validations: [{ expression: "false", message: " no way \n" }] },
    status: 422,
    message: denied("no way"),
  },
  {
    name: "an expression for the message",
    spec: {
      validations: [
        {
          expression: "false",
          message: "plain",
          messageExpression: "'no ' + object.metadata.name",
        },
      ],
    },
    status: 422,
    message: denied("no m"),
  },
  {
    name: "a message of several lines",
    spec: {
      validations: [{ expression: "false", message: "plain", messageExpression: "'a\\nb'" }],
    },
    status: 422,
    message: denied("plain"),
  },
  {
    name: "a reason",
    spec: { validations: [{ expression: "false", reason: "Forbidden" }] },
    status: 403,
    message: denied("failed expression: false"),
  },
  {
    name: "an expression that fails",
    spec: { validations: [{ expression: "object.spec.x == 1" }] },
    status: 422,
    message: denied("expression 'object.spec.x == 1' resulted in error: no such key: spec"),
  },
  {
    name: "variables",
    spec: {
      variables: [
        { name: "a", expression: "object.metadata.name" },
        { name: "b", expression: "variables.a + '!'" },
      ],
      validations: [{ expression: "variables.b == 'x!'", messageExpression: "variables.b" }],
    },
    status: 422,
    message: denied("m!"),
  },
  {
    name: "the namespace",
    spec: { validations: [{ expression: "namespaceObject.metadata.labels.team == 'b'" }] },
    status: 422,
    message: denied("failed expression: namespaceObject.metadata.labels.team == 'b'"),
  },
  {
    name: "a condition that fails",
    spec: {
      matchConditions: [{ name: "c", expression: "object.spec.x == 1" }],
      validations: [{ expression: "true" }],
    },
    status: 422,
    message: denied("expression 'object.spec.x == 1' resulted in error: no such key: spec"),
  },
  {
    name: "parameters of an unknown kind",
    spec: {
      paramKind: { apiVersion: "example.com/v1", kind: "Nothing" },
      validations: [{ expression: "true" }],
    },
    status: 422,
    message:
      "configmaps \"m\" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nothing'",
  },
];

for (const { name, spec, status, message } of validations) {
  test(`ValidatingAdmissionPolicy with ${name}`, async () => {
    await using api = await start("validating", spec);
    const answer = await create(api);
    assert.deepEqual({ status: answer.status, message: answer.json.message }, { status, message });
  });
}

test("ValidatingAdmissionPolicy admits a request on failure if failures are ignored", async () => {
  await using api = await start("validating", {
    failurePolicy: "Ignore",
    validations: [{ expression: "object.spec.x == 1" }],
  });
  assert.equal((await create(api)).status, 201);
});

test("ValidatingAdmissionPolicy warns", async () => {
  const spec = { validations: [{ expression: "false", message: "hm" }] };
  await using api = await start("validating", spec, { validationActions: ["Warn", "Audit"] });
  const { status, headers } = await create(api);
  assert.equal(status, 201);
  assert.deepEqual(headers["warning"], [
    "299 - \"Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': hm\"",
  ]);
});

test("ValidatingAdmissionPolicy reads its parameters from objects", async () => {
  const spec = {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    matchConditions: [{ name: "others", expression: "object.metadata.name != 'limits'" }],
    validations: [
      {
        expression: "int(params.data.most) >= size(object.data)",
        messageExpression: "'at most ' + params.data.most",
      },
    ],
  };
  const paramRef = { name: "limits", parameterNotFoundAction: "Deny" };
  await using api = await start("validating", spec, { paramRef });
  const missing = await create(api, { a: "b" });
  assert.equal(
    missing.json.message,
    denied(
      "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    ),
  );
  await api.call("DELETE", `${group}/validatingadmissionpolicybindings/b`);
  await api.call("POST", maps, { metadata: { name: "limits" }, data: { most: "1" } });
  await api.call("POST", `${group}/validatingadmissionpolicybindings`, {
    metadata: { name: "b" },
    spec: { policyName: "p", validationActions: ["Deny"], paramRef },
  });
  assert.equal((await create(api, { a: "b", c: "d" })).json.message, denied("at most 1"));
  assert.equal((await create(api, { a: "b" })).status, 201);
});

for (const late of [false, true]) {
  test(`ValidatingAdmissionPolicy calls an authorizer that answers ${late ? "asynchronously" : "synchronously"}`, async () => {
    const asked: string[] = [];
    const authorizer = {
      name: "Test",
      authorize: ({ verb, resource, name }: { verb: string; resource: string; name: string }) => {
        if (verb === "create") return { decision: "allow", reason: "" } as const;
        asked.push(`${verb} ${resource} ${name}`);
        const decision = { decision: name === "secret" ? "deny" : "allow", reason: "" } as const;
        return late ? Promise.resolve(decision) : decision;
      },
    };
    const expression =
      "authorizer.requestResource.check('fly').allowed() && authorizer.group('').resource('pods').name('secret').check('see').allowed()";
    await using api = await start(
      "validating",
      { validations: [{ expression, message: "no" }] },
      {},
      {
        authorizer,
      },
    );
    assert.equal((await create(api)).json.message, denied("no"));
    assert.deepEqual(asked, ["fly configmaps m", "see pods secret"]);
  });
}

const mutations: { name: string; spec: object; data: object | undefined; message?: string }[] = [
  {
    name: "a JSON patch",
    spec: {
      mutations: [
        {
          patchType: "JSONPatch",
          jsonPatch: {
            expression:
              "[JSONPatch{op: 'add', path: '/data', value: {'who': request.userInfo.username}}]",
          },
        },
      ],
    },
    data: { who: "admin" },
  },
  {
    name: "an apply configuration",
    spec: {
      mutations: [
        {
          patchType: "ApplyConfiguration",
          applyConfiguration: { expression: "Object{data: {'a': 'b'}}" },
        },
      ],
    },
    data: { a: "b" },
  },
  {
    name: "a patch whose test fails",
    spec: {
      mutations: [
        {
          patchType: "JSONPatch",
          jsonPatch: {
            expression:
              "[JSONPatch{op: 'test', path: '/metadata/name', value: 'x'}, JSONPatch{op: 'add', path: '/data', value: {}}]",
          },
        },
      ],
    },
    data: undefined,
  },
  {
    name: "an expression that fails",
    spec: {
      mutations: [
        {
          patchType: "ApplyConfiguration",
          applyConfiguration: { expression: "Object{data: {'a': object.data.b}}" },
        },
      ],
    },
    data: undefined,
    message:
      "policy 'p' with binding 'b' denied request: expression 'Object{data: {'a': object.data.b}}' resulted in error: no such key: data",
  },
  {
    name: "an atomic struct",
    spec: {
      mutations: [
        {
          patchType: "ApplyConfiguration",
          applyConfiguration: {
            expression:
              "Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{name: 'x'}]}}",
          },
        },
      ],
    },
    data: undefined,
    message:
      "policy 'p' with binding 'b' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .metadata.ownerReferences[0]",
  },
];

for (const { name, spec, data, message } of mutations) {
  test(`MutatingAdmissionPolicy with ${name}`, async () => {
    await using api = await start("mutating", { reinvocationPolicy: "Never", ...spec });
    const { status, json } = await create(api);
    if (message === undefined) assert.deepEqual({ status, data: json.data }, { status: 201, data });
    else assert.deepEqual({ status, message: json.message }, { status: 403, message });
  });
}

test("no policy is evaluated for policies", async () => {
  const everything = {
    resourceRules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }],
    namespaceSelector: {},
    objectSelector: {},
  };
  await using api = await start("validating", {
    matchConstraints: everything,
    validations: [{ expression: "false" }],
  });
  assert.equal((await create(api)).status, 422);
  const { status } = await api.call("DELETE", `${group}/validatingadmissionpolicybindings/b`);
  assert.equal(status, 200);
  assert.equal((await create(api)).status, 201);
});
