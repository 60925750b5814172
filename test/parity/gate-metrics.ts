import type { Target } from "./reference.ts";

/** A family of metrics at /metrics. */
export interface Family {
  readonly type: string;
  readonly stability: string;
  /** The names of its labels, without the buckets of histograms. */
  readonly labels: readonly string[];
  /** The buckets of a histogram. */
  readonly bounds?: readonly string[];
}

/** Prefixes of the names of the gates' families. */
const gates =
  /^(apiserver_(admission|audit|authentication|authorization|encryption|envelope|flowcontrol|impersonation|mutating|request_filter|validating_|storage_(data_key|transformation|envelope))|authenticat|authorization|pod_security|serviceaccount)/;

/** The families of the gates in a text, by name. */
export function readFamilies(text: string): Record<string, Family> {
  const families: Record<string, Family> = {};
  for (const block of text.split(/^(?=# HELP )/m)) {
    const [, name = "", help = "", type = ""] =
      /^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)/.exec(block) ?? [];
    if (!gates.test(name)) continue;
    const samples = block.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    const names = samples.flatMap((line) => line.match(/\w+(?==")/g) ?? []);
    const bounds = samples.flatMap((line) => /le="([^"]+)"/.exec(line)?.[1] ?? []);
    families[name] = {
      type,
      stability: /^\[(\w+)\]/.exec(help)?.[1] ?? "",
      labels: [...new Set(names)].filter((label) => label !== "le").sort(),
      ...(bounds.length > 0 ? { bounds: [...new Set(bounds)] } : {}),
    };
  }
  return families;
}

const registrations = "/apis/admissionregistration.k8s.io/v1";
const rule = (resource: string) => ({
  apiGroups: [""],
  apiVersions: ["v1"],
  operations: ["CREATE"],
  resources: [resource],
});
const webhook = (name: string, resource: string, more: object) => ({
  name,
  clientConfig: { url: "https://127.0.0.1:1/x" },
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  rules: [rule(resource)],
  ...more,
});
const constraints = { resourceRules: [rule("configmaps")] };
const named = { metadata: { name: "p" } };

/** Objects that make the gates count something. */
export const preparations: readonly (readonly [path: string, body: object])[] = [
  ["/api/v1/namespaces", { metadata: { name: "m" } }],
  ["/api/v1/namespaces/m/serviceaccounts", { metadata: { name: "sa" } }],
  [
    `${registrations}/validatingadmissionpolicies`,
    {
      ...named,
      spec: {
        matchConstraints: constraints,
        validations: [{ expression: "object.metadata.name != 'no'" }],
      },
    },
  ],
  [
    `${registrations}/validatingadmissionpolicybindings`,
    { ...named, spec: { policyName: "p", validationActions: ["Deny"] } },
  ],
  [
    `${registrations}/mutatingadmissionpolicies`,
    {
      ...named,
      spec: {
        reinvocationPolicy: "Never",
        matchConstraints: constraints,
        mutations: [
          {
            patchType: "ApplyConfiguration",
            applyConfiguration: {
              expression: "Object{metadata: Object.metadata{labels: {'a': 'b'}}}",
            },
          },
        ],
      },
    },
  ],
  [`${registrations}/mutatingadmissionpolicybindings`, { ...named, spec: { policyName: "p" } }],
  [
    `${registrations}/validatingwebhookconfigurations`,
    {
      metadata: { name: "w" },
      webhooks: [
        webhook("w.example.com", "secrets", {
          failurePolicy: "Fail",
          matchConditions: [{ name: "c", expression: "object.metadata.name != 'x'" }],
        }),
        webhook("i.example.com", "services", { failurePolicy: "Ignore" }),
      ],
    },
  ],
];

const object = (name: string, more: object = {}) => ({ metadata: { name }, ...more });
const pod = object("a", { spec: { containers: [{ name: "c", image: "i" }] } });

/** Requests that pass every gate, allowed and refused; the answers don't matter. */
export const requests: readonly (readonly [
  path: string,
  body?: object | undefined,
  user?: string,
])[] = [
  ["/api/v1/namespaces/m/configmaps", object("no")],
  ["/api/v1/namespaces/m/configmaps", object("yes")],
  ["/api/v1/namespaces/m/secrets", object("x")],
  ["/api/v1/namespaces/m/secrets", object("y")],
  ["/api/v1/namespaces/m/services", object("s", { spec: { ports: [{ port: 1 }] } })],
  ["/api/v1/namespaces/m/pods", pod],
  ["/api/v1/pods", undefined, "bob"],
  ["/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, "bob"],
  ["/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec: {} }, "bob"],
];

/** Sends the requests and reads a server's metrics of its gates. */
export async function observeGates(target: Target, settle: () => Promise<unknown>) {
  const send = (path: string, body?: object, user?: string) =>
    target.send({
      method: body ? "POST" : "GET",
      path,
      headers: {
        "content-type": "application/json",
        ...(user ? { "impersonate-user": user } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  for (const [path, body] of preparations) {
    const { status, text } = await send(path, body);
    if (status !== 201) throw new Error(text);
  }
  await settle();
  for (const [path, body, user] of requests) await send(path, body, user);
  const account = "/api/v1/namespaces/m/serviceaccounts/sa/token";
  const { token } = JSON.parse((await send(account, {})).text).status as { token: string };
  await send("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } });
  return readFamilies((await send("/metrics")).text);
}
