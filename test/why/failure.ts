/** An object of a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly [field: string]: unknown;
}

/** A failure that is provoked in a namespace of its own. */
export interface Failure {
  /** Also its namespace. */
  readonly name: string;
  readonly objects: readonly Manifest[];
  /** The object that is asked about: `pod/web`; that of the first manifest if it is not given. */
  readonly ask?: string;
  /** The layer that the first line must name; "healthy" if nothing is wrong. */
  readonly layer: string;
  /** What the first line must say. */
  readonly says: RegExp;
  /** What is done after the objects are there: arguments of kubectl, or another object. */
  readonly afterwards?: readonly (readonly string[] | Manifest)[];
  /** Labels of the namespace. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Whether controllers change it after some seconds: it is provoked when it is asked about. */
  readonly isBrief?: boolean;
  /** Whether it takes longer than a minute to show: only by hand. */
  readonly isSlow?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

export const image = "k8ts.test/web:1";

/** A container that serves on port 80, or what is given instead. */
export const container = (fields: Fields = {}): Fields => ({
  name: "web",
  image,
  imagePullPolicy: "IfNotPresent",
  ...fields,
});

/** A container that runs a shell script. */
export const script = (text: string, fields: Fields = {}): Fields =>
  container({ command: ["/bin/sh", "-c", text], ...fields });

/** A shell script that ends at once when it is stopped. */
export const idle = "trap exit TERM; sleep 10000 & wait";

const podSpec = (fields: Fields, one: Fields): Fields => ({
  terminationGracePeriodSeconds: 1,
  containers: [one],
  ...fields,
});

export const pod = (one: Fields, spec: Fields = {}, metadata: Fields = {}): Manifest => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", labels: { app: "web" }, ...metadata },
  spec: podSpec(spec, one),
});

/** A workload of one of the kinds of group apps. */
export const workload = (
  kind: "Deployment" | "StatefulSet" | "DaemonSet",
  one: Fields,
  { spec = {}, template = {} }: { readonly spec?: Fields; readonly template?: Fields } = {},
): Manifest => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    ...(kind === "StatefulSet" ? { serviceName: "web" } : {}),
    template: { metadata: { labels: { app: "web" } }, spec: podSpec(template, one) },
    ...spec,
  },
});

export const job = (one: Fields, spec: Fields = {}): Manifest => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "web" },
  spec: { template: { spec: podSpec({ restartPolicy: "Never" }, one) }, ...spec },
});

export const cronJob = (one: Fields, spec: Fields = {}): Manifest => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "web" },
  spec: { schedule: "* * * * *", jobTemplate: { spec: job(one)["spec"] }, ...spec },
});

export const service = (spec: Fields = {}): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }], ...spec },
});

export const claim = (spec: Fields = {}, metadata: Fields = {}): Manifest => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", ...metadata },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    ...spec,
  },
});

export const object = (
  apiVersion: string,
  kind: string,
  name: string,
  fields: Fields = {},
): Manifest => ({
  apiVersion,
  kind,
  metadata: { name },
  ...fields,
});

/** A volume of a Pod and its mount. */
export const mounted = (source: Fields): { readonly spec: Fields; readonly mount: Fields } => ({
  spec: { volumes: [{ name: "data", ...source }] },
  mount: { volumeMounts: [{ name: "data", mountPath: "/data" }] },
});

/** A Node without a machine: what its kubelet would write is written by the test. */
export const nodeWithoutMachine = (name: string, fields: Fields = {}): Manifest => ({
  apiVersion: "v1",
  kind: "Node",
  // Other Pods must not come here before the node counts as not ready.
  spec: { taints: [{ key: "why.example.com/no-machine", effect: "NoSchedule" }] },
  ...fields,
  metadata: { name, labels: { "why-node": name, ...(fields["labels"] as object | undefined) } },
});

/** As another Pod, Service, … of the same failure. */
export const named = (name: string, one: Manifest): Manifest => ({
  ...one,
  metadata: { ...one.metadata, name },
});

/** The images that failures need besides that of container(), as archives. */
export const odd = {
  /** A program for another processor. */
  foreign: "k8ts.test/foreign:1",
  /** Runs as a user that its /etc/passwd lacks. */
  user: "k8ts.test/user:1",
  /** Has no command. */
  empty: "k8ts.test/empty:1",
};

/** Addresses of registries that fail, on the cluster's own network; 0.0.0.0 is no loopback address to a runtime. */
export const badRegistry = {
  plain: "127.0.0.1:5999",
  notLoopback: "0.0.0.0:5999",
  tls: "0.0.0.0:5998",
  /** An admission webhook that refuses everything. */
  webhook: "https://127.0.0.1:5998/",
};

/** Stands for the certificate of the webhook's authority. */
export const caPlaceholder = "Y2EK";
