import { container, type Manifest, mounted, object, pod, script } from "./failure.ts";

/** Values that no step may contain: data of a Secret, those of variables, and credentials of a registry. */
export const planted = {
  data: "planted-data-4711",
  variable: "planted-variable-4712",
  registry: "planted-registry-4713",
};

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const credentials = JSON.stringify({
  auths: { "registry.invalid": { username: "me", password: planted.registry } },
});

const variables = {
  env: [
    { name: "LITERAL", value: planted.variable },
    { name: "KEY", valueFrom: { secretKeyRef: { name: "planted", key: "key" } } },
  ],
  envFrom: [{ secretRef: { name: "planted" } }],
};

/** Pods that have these values in every place that a Pod can, and fail in ways that quote what they run. */
export const plantedObjects: readonly Manifest[] = [
  object("v1", "Secret", "planted", { data: { key: base64(planted.data) } }),
  object("v1", "Secret", "pull", {
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": base64(credentials) },
  }),
  pod(
    container({
      ...variables,
      ...mounted({ secret: { secretName: "planted" } }).mount,
      command: ["/bin/$(KEY)", "$(LITERAL)"],
    }),
    mounted({ secret: { secretName: "planted" } }).spec,
  ),
  {
    ...pod(
      script('echo "$KEY $LITERAL" >&2; exit 3', {
        ...variables,
        lifecycle: { postStart: { exec: { command: ["sh", "-c", "echo $KEY; exit 1"] } } },
        readinessProbe: {
          exec: { command: ["sh", "-c", "echo $KEY $LITERAL; exit 1"] },
          periodSeconds: 1,
        },
      }),
    ),
    metadata: { name: "talks", labels: { app: "web" } },
  },
  {
    ...pod(container({ ...variables, image: "registry.invalid/app:1" }), {
      imagePullSecrets: [{ name: "pull" }],
    }),
    metadata: { name: "pulls", labels: { app: "web" } },
  },
];
