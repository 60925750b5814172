import type { Layer } from "#/machinery/journey/step.ts";
import type { Step } from "./journey.ts";
import type { Tone } from "./tone.ts";

/** What the Learn page says about a layer besides its text: our files that do the work, in the order of reading. */
export const lessonFiles: Readonly<Record<Layer, readonly string[]>> = {
  client: ["src/kubectl/run.ts", "src/client/requests.ts"],
  authentication: ["src/apiserver/auth/authenticate.ts"],
  authorization: ["src/apiserver/auth/authorize.ts", "src/apiserver/auth/impersonate.ts"],
  admission: ["src/apiserver/admission/open-admission.ts", "src/apiserver/admission/index.ts"],
  store: [
    "src/apiserver/verbs/create.ts",
    "src/apiserver/registry/store.ts",
    "src/apiserver/registry/feed.ts",
  ],
  controllers: ["src/controller/controller.ts", "src/controllers/index.ts"],
  scheduling: ["src/scheduler/scheduler.ts", "src/scheduler/plugins/index.ts"],
  node: ["src/kubelet/plan/pod-actions.ts", "src/kubelet/cri/runtime-service.ts"],
  readiness: ["src/kubelet/status/status-writer.ts"],
  service: ["src/controllers/endpoint-slice/endpoint-slice.ts", "src/proxy/run.ts"],
};

/** Pods that users make to see what happens: one that works, and ways to break it. */
export const recipes = [
  "good",
  "image",
  "room",
  "claim",
  "config",
  "crash",
  "memory",
  "probe",
] as const;

export type Recipe = (typeof recipes)[number];

/** Label of the Pods of the Learn page. */
export const recipeLabel = "k8ts.dev/learn";

/** Label that the Service of these Pods selects. */
const partOf = { "app.kubernetes.io/part-of": "k8ts-learn" };

/** The Service of these Pods. */
export const recipeService = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "k8ts-learn", labels: partOf },
  spec: { selector: partOf, ports: [{ port: 80 }] },
} as const;

/** The Pod of a recipe. */
export function recipePod(recipe: Recipe, image: string): object {
  const changes: Readonly<Record<Recipe, object>> = {
    good: {},
    image: { image: `${image.replace(/:[^/]*$/, "")}:no-such-tag` },
    room: { resources: { requests: { cpu: "1000" } } },
    crash: { command: ["sh", "-c", "echo this container ends with an error; exit 1"] },
    claim: { volumeMounts: [{ name: "data", mountPath: "/data" }] },
    memory: {
      command: ["sh", "-c", "text=x; while true; do text=$text$text; done"],
      resources: { limits: { memory: "32Mi" } },
    },
    config: { envFrom: [{ configMapRef: { name: "no-such-configmap" } }] },
    probe: {
      readinessProbe: { tcpSocket: { port: 9 }, periodSeconds: 2, initialDelaySeconds: 0 },
    },
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: `learn-${recipe}-`, labels: { ...partOf, [recipeLabel]: recipe } },
    spec: {
      ...(recipe === "claim"
        ? { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "no-such-claim" } }] }
        : {}),
      containers: [{ name: "main", image, ...changes[recipe] }],
      terminationGracePeriodSeconds: 0,
    },
  };
}

/** How far the way has come in a layer. */
export function layerTone(steps: readonly Step[]): Tone {
  const last = steps.at(-1);
  if (!last) return "idle";
  if (last.outcome === "failed" || last.outcome === "retried") return "bad";
  return last.to === undefined || last.outcome === "waiting" ? "busy" : "good";
}
