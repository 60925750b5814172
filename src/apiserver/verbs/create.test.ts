import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Pod, PodSpec } from "#/api/core/v1.ts";
import { deepFreeze } from "#/machinery/objects/deep-freeze.ts";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import type { Answer, TestApiServer } from "#/testing/start-api-server.ts";
import { readVectors } from "#/testing/vectors.ts";
import { setSpecDefaults } from "../resources/core/pod/defaults.ts";

const path = "/api/v1/namespaces/default/pods";

const container = (name: string) => ({
  name,
  image: "images.example.com/team/app:v1",
  args: ["--config=/etc/app/config.yaml", "--verbose"],
  ports: [{ containerPort: 8080 }],
  env: [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
  resources: { limits: { cpu: "1500m", memory: "1.5Gi" }, requests: { cpu: "0.0001" } },
  livenessProbe: { httpGet: { port: 8080 } },
  volumeMounts: [{ name: "config", mountPath: "/etc/app" }],
});

/** A spec as the ReplicaSet controller might send it; long enough to be cached. */
const specs: Readonly<Record<string, object>> = {
  plain: {
    containers: [container("app"), container("sidecar")],
    volumes: [{ name: "config", configMap: { name: "app" } }],
  },
  "on the host's network": {
    hostNetwork: true,
    serviceAccount: "default",
    containers: [container("app")],
    volumes: [{ name: "config", emptyDir: {} }],
    tolerations: [{ key: "a", operator: "Exists" }],
  },
  "with claims of its own": {
    containers: [container("app")],
    volumes: [
      {
        name: "config",
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1.5" } } },
          },
        },
      },
    ],
  },
};

describe("create of Pods with the same spec", () => {
  let api: TestApiServer;
  before(async () => {
    api = await startAdmittingServer(["--disable-admission-plugins=ServiceAccount"]);
    await api.call("POST", "/api/v1/namespaces", { metadata: { name: "default" } });
  });
  after(() => api[Symbol.asyncDispose]());

  const create = (name: string, spec: object, more: object = {}, query = ""): Promise<Answer> =>
    api.call("POST", path + query, { ...more, metadata: { name }, spec });

  for (const [title, spec] of Object.entries(specs)) {
    test(`gives the same response however often it is sent: ${title}`, async () => {
      const answers: unknown[] = [];
      for (let time = 0; time < 4; time++) {
        const name = `${title.replaceAll(/[^a-z]/g, "-")}-${time}`;
        const { status, json, headers } = await create(name, spec);
        assert.equal(status, 201);
        const { metadata } = json as Pod;
        for (const key of ["name", "uid", "resourceVersion", "creationTimestamp"] as const) {
          delete metadata[key];
        }
        for (const entry of metadata.managedFields ?? []) delete entry.time;
        answers.push({ json, warnings: headers.warning });
      }
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
    });
  }

  test("reports errors of other fields as for a new spec", async () => {
    const { plain: spec = {} } = specs;
    const cases: readonly (readonly [object, string])[] = [
      [{ apiVersion: "v2" }, "?fieldValidation=Ignore"],
      [{ kind: "Node" }, ""],
      [{ unknown: 1 }, "?fieldValidation=Strict"],
      [{ unknown: 1 }, "?fieldValidation=Warn&dryRun=All"],
      [{ status: "no" }, ""],
    ];
    for (let time = 0; time < 3; time++) await create(`known-${time}`, spec);
    for (const [more, query] of cases) {
      const fresh = { ...spec, hostname: `h${cases.findIndex(([one]) => one === more)}` };
      const expected = await create("x", fresh, more, query);
      const answer = await create("x", spec, more, query);
      assert.equal(answer.status, expected.status);
      assert.deepEqual(answer.headers.warning, expected.headers.warning);
      assert.equal(answer.json.message, expected.json.message);
    }
    assert.equal((await create("Bad_Name", spec)).status, 422);
  });

  test("reports errors of the spec each time", async () => {
    const wrong = { ...specs.plain, restartPolicy: "Sometimes", unknown: 1 };
    for (let time = 0; time < 4; time++) {
      const strict = await create("x", wrong, {}, "?fieldValidation=Strict");
      assert.equal(strict.status, 400);
      const invalid = await create("x", wrong, {}, "?fieldValidation=Warn");
      assert.equal(invalid.status, 422);
      assert.deepEqual(invalid.headers.warning, ['299 - "unknown field \\"spec.unknown\\""']);
    }
  });

  test("reports errors of a spec even if earlier requests ignored them", async () => {
    const wrong = { ...specs.plain, unknown: 2 };
    for (let time = 0; time < 3; time++) {
      const ignored = await create(`ignored-${time}`, wrong, {}, "?fieldValidation=Ignore");
      assert.equal(ignored.status, 201);
    }
    const warned = await create("warned", wrong, {}, "?fieldValidation=Warn");
    const [first] = warned.headers.warning as string[];
    assert.equal(first, '299 - "unknown field \\"spec.unknown\\""');
    assert.equal((await create("strict", wrong, {}, "?fieldValidation=Strict")).status, 400);
  });

  test("sets defaults that depend on other fields for each object", async () => {
    const term = {
      topologyKey: "kubernetes.io/hostname",
      labelSelector: { matchLabels: { app: "web" } },
      matchLabelKeys: ["hash"],
    };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const spec = { ...specs.plain, affinity };
    for (let time = 0; time < 4; time++) {
      const metadata = { name: `near-${time}`, labels: { hash: `h${time}` } };
      const { json } = await api.call("POST", path, { metadata, spec });
      const terms = (json.spec as PodSpec).affinity?.podAffinity;
      const [first] = terms?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      assert.deepEqual(first?.labelSelector?.matchExpressions, [
        { key: "hash", operator: "In", values: [`h${time}`] },
      ]);
    }
  });

  test("a change of one does not change the others", async () => {
    const { plain: spec = {} } = specs;
    for (let time = 0; time < 4; time++) await create(`twin-${time}`, spec);
    const patch = { spec: { containers: [{ name: "app", image: "other" }] } };
    const headers = { "content-type": "application/strategic-merge-patch+json" };
    const patched = await api.call("PATCH", `${path}/twin-3`, patch, { headers });
    assert.equal((patched.json.spec as PodSpec).containers[0]?.image, "other");
    // YAML is made from the object in memory, JSON from the stored bytes.
    const accept = { headers: { accept: "application/yaml" } };
    for (const name of ["twin-2", "twin-1"]) {
      const { text } = await api.call("GET", `${path}/${name}`, undefined, accept);
      assert.match(text, /image: images.example.com\/team\/app:v1/);
      assert.doesNotMatch(text, /image: other/);
    }
    const later = await create("twin-4", spec);
    assert.equal(
      (later.json.spec as PodSpec).containers[0]?.image,
      "images.example.com/team/app:v1",
    );
  });
});

test("setSpecDefaults does not change a spec that has all its defaults", () => {
  for (const { group, kind, json } of readVectors()) {
    if (group !== "" || kind !== "Pod") continue;
    const pod = JSON.parse(json) as Pod;
    setSpecDefaults(pod.spec);
    setSpecDefaults(deepFreeze(pod.spec));
  }
});
