import type { Case, Step } from "../case.ts";
import { Seeded } from "./seeded.ts";
import { changed, sequence } from "./sequence.ts";
import { apply, create, deployments, merge, strategic, update } from "./steps.ts";

interface PodParts {
  readonly containers: readonly object[];
  readonly more?: object;
}
const deployment = (
  spec: object,
  pod: PodParts = { containers: [{ name: "a", image: "a:1" }] },
  metadata: object = {},
) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", ...metadata },
  spec: {
    selector: { matchLabels: { app: "d" } },
    template: {
      metadata: { labels: { app: "d" } },
      spec: { containers: pod.containers, ...pod.more },
    },
    ...spec,
  },
});
const path = `${deployments}/d`;
const on = (manager: string, body: object, force?: boolean): Step =>
  apply(path, body, force === undefined ? { manager } : { manager, force });
const partial = (spec: object, metadata: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", ...metadata },
  spec,
});
const inPod = (spec: object) => partial({ template: { spec } });

const chosen: readonly Case[] = [
  sequence("deployment creates", on("a", deployment({ replicas: 3 }))),
  sequence(
    "deployment created by POST",
    create(deployments, deployment({ replicas: 3 }), { manager: "c" }),
  ),
  sequence(
    "deployment replicas conflict",
    on("a", deployment({ replicas: 3 })),
    merge(path, { spec: { replicas: 5 } }, { manager: "hpa" }),
    on("a", deployment({ replicas: 3 })),
    on("a", deployment({})),
    on("a", deployment({ replicas: 4 }), true),
  ),
  sequence(
    "deployment replicas given up",
    on("a", deployment({ replicas: 3 })),
    on("a", deployment({})),
  ),
  sequence(
    "deployment scale",
    on("a", deployment({ replicas: 3 })),
    merge(`${path}/scale`, { spec: { replicas: 5 } }, { manager: "scaler" }),
    on("a", deployment({ replicas: 3 })),
  ),
  sequence(
    "deployment scale applied",
    on("a", deployment({ replicas: 3 })),
    apply(
      `${path}/scale`,
      {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "d" },
        spec: { replicas: 5 },
      },
      { manager: "scaler" },
    ),
    apply(
      `${path}/scale`,
      {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "d" },
        spec: { replicas: 5 },
      },
      { manager: "scaler", force: true },
    ),
  ),
  sequence(
    "deployment status",
    on("a", deployment({})),
    merge(
      `${path}/status`,
      {
        status: {
          replicas: 1,
          conditions: [
            {
              type: "Available",
              status: "True",
              lastUpdateTime: "2019-01-01T00:00:00Z",
              lastTransitionTime: "2019-01-01T00:00:00Z",
            },
          ],
        },
      },
      { manager: "controller" },
    ),
    apply(
      `${path}/status`,
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        status: { replicas: 2 },
      },
      { manager: "x" },
    ),
  ),
  sequence(
    "deployment status in a spec apply",
    on("a", { ...deployment({}), status: { replicas: 9 } }),
  ),
  sequence(
    "deployment container added by another",
    on("a", deployment({})),
    on("b", inPod({ containers: [{ name: "b", image: "b:1" }] })),
    on("a", deployment({}, { containers: [{ name: "a", image: "a:2" }] })),
    on("b", inPod({ containers: [] })),
  ),
  sequence(
    "deployment container removed",
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            { name: "a", image: "a:1" },
            { name: "b", image: "b:1" },
          ],
        },
      ),
    ),
    on("a", deployment({})),
  ),
  sequence(
    "deployment image conflict",
    on("a", deployment({})),
    on("b", inPod({ containers: [{ name: "a", image: "a:2" }] })),
    on("b", inPod({ containers: [{ name: "a", image: "a:2" }] }), true),
    on("a", deployment({})),
  ),
  sequence(
    "deployment env",
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            {
              name: "a",
              image: "a:1",
              env: [
                { name: "X", value: "1" },
                { name: "Y", value: "2" },
              ],
            },
          ],
        },
      ),
    ),
    on("b", inPod({ containers: [{ name: "a", env: [{ name: "Z", value: "3" }] }] })),
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            {
              name: "a",
              image: "a:1",
              env: [{ name: "Y", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
            },
          ],
        },
      ),
    ),
  ),
  sequence(
    "deployment ports with default protocol",
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            {
              name: "a",
              image: "a:1",
              ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }],
            },
          ],
        },
      ),
    ),
    on(
      "b",
      inPod({
        containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "TCP", name: "web" }] }],
      }),
    ),
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            { name: "a", image: "a:1", ports: [{ containerPort: 80, protocol: "UDP" }] },
          ],
        },
      ),
    ),
  ),
  sequence(
    "deployment resources in other units",
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            { name: "a", image: "a:1", resources: { limits: { cpu: "1000m", memory: "1024Mi" } } },
          ],
        },
      ),
    ),
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            { name: "a", image: "a:1", resources: { limits: { cpu: "1000m", memory: "1024Mi" } } },
          ],
        },
      ),
    ),
    on("b", inPod({ containers: [{ name: "a", resources: { limits: { cpu: 1 } } }] })),
  ),
  sequence(
    "deployment strategy",
    on("a", deployment({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } })),
    on("b", partial({ strategy: { rollingUpdate: { maxUnavailable: "50%" } } })),
    on("a", deployment({ strategy: { type: "Recreate" } })),
  ),
  sequence(
    "deployment volumes",
    on(
      "a",
      deployment(
        {},
        {
          containers: [{ name: "a", image: "a:1", volumeMounts: [{ name: "v", mountPath: "/v" }] }],
          more: { volumes: [{ name: "v", emptyDir: {} }] },
        },
      ),
    ),
    on(
      "a",
      deployment(
        {},
        {
          containers: [{ name: "a", image: "a:1", volumeMounts: [{ name: "v", mountPath: "/v" }] }],
          more: { volumes: [{ name: "v", configMap: { name: "cm" } }] },
        },
      ),
    ),
    on("a", deployment({})),
  ),
  sequence(
    "deployment node selector is atomic",
    on(
      "a",
      deployment(
        {},
        { containers: [{ name: "a", image: "a:1" }], more: { nodeSelector: { x: "1" } } },
      ),
    ),
    on("b", inPod({ nodeSelector: { y: "2" } })),
  ),
  sequence(
    "deployment labels",
    on("a", deployment({}, undefined, { labels: { a: "1" } })),
    on("b", partial({}, { labels: { b: "2" } })),
    on("a", deployment({})),
  ),
  sequence(
    "deployment missing container name",
    on("a", deployment({}, { containers: [{ image: "a:1" }] })),
  ),
  sequence(
    "deployment duplicate containers",
    on(
      "a",
      deployment(
        {},
        {
          containers: [
            { name: "a", image: "a:1" },
            { name: "a", image: "a:2" },
          ],
        },
      ),
    ),
  ),
  sequence(
    "deployment duplicate env by POST",
    create(
      deployments,
      deployment(
        {},
        {
          containers: [
            {
              name: "a",
              image: "a:1",
              env: [
                { name: "X", value: "1" },
                { name: "X", value: "2" },
              ],
            },
          ],
        },
      ),
      { manager: "c" },
    ),
    on("b", inPod({ containers: [{ name: "a", env: [{ name: "Y", value: "1" }] }] })),
    on("b", inPod({ containers: [{ name: "a", env: [{ name: "X", value: "3" }] }] })),
    on("b", inPod({ containers: [{ name: "a", env: [{ name: "X", value: "3" }] }] }), true),
  ),
  sequence(
    "deployment duplicate ports by POST",
    create(
      deployments,
      deployment(
        {},
        {
          containers: [
            {
              name: "a",
              image: "a:1",
              ports: [
                { containerPort: 80, name: "p" },
                { containerPort: 80, name: "q" },
              ],
            },
          ],
        },
      ),
      { manager: "c" },
    ),
    merge(
      path,
      {
        spec: {
          template: {
            spec: {
              containers: [{ name: "a", image: "a:1", ports: [{ containerPort: 80, name: "p" }] }],
            },
          },
        },
      },
      { manager: "m" },
    ),
  ),
  sequence("deployment unknown field", on("a", deployment({ nine: 1 }))),
  sequence(
    "deployment unknown nested field",
    on("a", deployment({}, { containers: [{ name: "a", image: "a:1", nine: 1 }] })),
  ),
  sequence("deployment wrong type", on("a", deployment({ replicas: "3" }))),
  sequence(
    "deployment selector changed",
    on("a", deployment({})),
    on("a", deployment({ selector: { matchLabels: { app: "e" } } })),
  ),
  sequence(
    "deployment put by the same manager",
    create(deployments, deployment({ replicas: 1 }), { manager: "c" }),
    update(
      path,
      changed(0, (object) => {
        object.spec["replicas"] = 2;
        object.spec["paused"] = true;
      }),
      { manager: "c" },
    ),
    update(
      path,
      changed(1, (object) => {
        delete object.spec["paused"];
      }),
      { manager: "d" },
    ),
  ),
];

function seededDeployment(random: Seeded): object {
  const names = random.some(["a", "b", "c"], 0.5, true);
  return partial({
    ...(random.chance(0.3) ? { replicas: random.below(3) } : {}),
    ...(random.chance(0.2) ? { paused: random.chance(0.5) } : {}),
    template: {
      ...(random.chance(0.3)
        ? { metadata: { annotations: { [random.pick(["x", "y"])]: random.pick(["1", "2"]) } } }
        : {}),
      spec: {
        containers: names.map((name) => seededContainer(random, name)),
        ...(random.chance(0.3)
          ? { tolerations: [{ key: random.pick(["k", "l"]), operator: "Exists" }] }
          : {}),
        ...(random.chance(0.3) ? { securityContext: { runAsUser: random.below(2) + 1 } } : {}),
        ...(random.chance(0.3)
          ? { volumes: [{ name: "v", emptyDir: random.pick([{}, { medium: "Memory" }]) }] }
          : {}),
      },
    },
  });
}

function seededContainer(random: Seeded, name: string): object {
  return {
    name,
    image: `${name}:${random.below(2)}`,
    ...(random.chance(0.3) ? { command: random.some(["sh", "-c"]) } : {}),
    ...(random.chance(0.4)
      ? {
          env: random
            .some(["E", "F"], 0.6, true)
            .map((key) => ({ name: key, value: random.pick(["1", "2"]) })),
        }
      : {}),
    ...(random.chance(0.3)
      ? { ports: random.some([80, 81], 0.6).map((containerPort) => ({ containerPort })) }
      : {}),
    ...(random.chance(0.3) ? { resources: { limits: { cpu: random.pick(["1", "2"]) } } } : {}),
  };
}

function seededCase(seed: number): Case {
  const random = new Seeded(seed);
  const steps: Step[] = [
    on("base", deployment({}, { containers: [{ name: "base", image: "base:1" }] })),
  ];
  const length = 3 + random.below(3);
  while (steps.length < length) {
    const manager = random.pick(["a", "b"]);
    if (random.chance(0.2)) steps.push(strategic(path, seededDeployment(random), { manager }));
    else steps.push(on(manager, seededDeployment(random), random.chance(0.6)));
  }
  return { name: `deployment seeded ${seed}`, steps };
}

/** Deployments: lists, structs and subresources of a built-in kind. */
export const deploymentCases: readonly Case[] = [
  ...chosen,
  ...Array.from({ length: 50 }, (_, seed) => seededCase(2000 + seed)),
];
