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

/** What users make to see what happens: a Pod that works, and ways to break it. */
export const recipes = [
  "good",
  "image",
  "room",
  "quota",
  "claim",
  "config",
  "crash",
  "memory",
  "probe",
  "selector",
] as const;

export type Recipe = (typeof recipes)[number];

/** Label of the objects of the Learn page. */
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

/** An object of a recipe, and the plural of its resource with its group. */
export interface RecipeObject {
  readonly resource: string;
  readonly object: object;
}

/** Only Pods that ask for this are counted by the quota of the Learn page: all others of the namespace go on. */
const counted = "learn.k8ts.dev/seat";

/** The objects of a recipe, in the order in which they are made; the last is the one to follow. */
export function recipeObjects(recipe: Recipe, image: string): readonly RecipeObject[] {
  const meta = { generateName: `learn-${recipe}-`, labels: { ...partOf, [recipeLabel]: recipe } };
  const pod: RecipeObject = {
    resource: "pods",
    object: { apiVersion: "v1", kind: "Pod", metadata: meta, spec: podSpec(recipe, image) },
  };
  if (recipe === "quota") return [quota(meta), replicaSet(meta, image)];
  return recipe === "selector" ? [pod, strayService(meta)] : [pod];
}

type Meta = { readonly generateName: string; readonly labels: Readonly<Record<string, string>> };

const quota = (metadata: Meta): RecipeObject => ({
  resource: "resourcequotas",
  object: {
    ...{ apiVersion: "v1", kind: "ResourceQuota", metadata },
    spec: { hard: { [`requests.${counted}`]: "0" } },
  },
});

/** The quota refuses its Pod: without an owner that tries again there would be nothing to watch. */
const replicaSet = (metadata: Meta, image: string): RecipeObject => ({
  resource: "replicasets.apps",
  object: {
    ...{ apiVersion: "apps/v1", kind: "ReplicaSet", metadata },
    spec: {
      replicas: 1,
      selector: { matchLabels: metadata.labels },
      template: { metadata: { labels: metadata.labels }, spec: podSpec("quota", image) },
    },
  },
});

/** A Service whose selector has a typing error. */
const strayService = (metadata: Meta): RecipeObject => ({
  resource: "services",
  object: {
    ...{ apiVersion: "v1", kind: "Service", metadata },
    spec: { selector: { [recipeLabel]: "selektor" }, ports: [{ port: 80 }] },
  },
});

/** The resources of all recipes' objects, in the order in which they are deleted: owners first. */
export const recipeResources = ["replicasets.apps", "services", "resourcequotas", "pods"] as const;

/** Those that can be followed, in the order of the list. */
export const followedResources = ["pods", "replicasets.apps", "services"] as const;

/** The Pod of a recipe. */
function podSpec(recipe: Recipe, image: string): object {
  const seat = { [counted]: "1" };
  const changes: Partial<Record<Recipe, object>> = {
    image: { image: `${image.replace(/:[^/]*$/, "")}:no-such-tag` },
    room: { resources: { requests: { cpu: "1000" } } },
    quota: { resources: { requests: seat, limits: seat } },
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
    ...(recipe === "claim"
      ? { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "no-such-claim" } }] }
      : {}),
    containers: [{ name: "main", image, ...changes[recipe] }],
    terminationGracePeriodSeconds: 0,
  };
}

/** How far the way has come in a layer. */
export function layerTone(steps: readonly Step[]): Tone {
  const last = steps.at(-1);
  if (!last) return "idle";
  if (last.outcome === "failed" || last.outcome === "retried") return "bad";
  return last.to === undefined || last.outcome === "waiting" ? "busy" : "good";
}
