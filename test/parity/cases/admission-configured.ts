import type { Area, Case, Step } from "../case.ts";
import { SurroundingsBuilder } from "../surroundings.ts";
import { objectOf } from "./create-each.ts";
import { sequence } from "./sequence.ts";
import { configMaps, create, pods } from "./steps.ts";

/** Plugins that do nothing without a configuration, or too much with it. */

const events = "/api/v1/namespaces/{ns}/events";
const event = (name: string): Step =>
  create(events, {
    ...objectOf("v1", "Event", {}, { name }),
    involvedObject: { kind: "Pod", namespace: "{ns}", name: "p" },
    source: { component: "c" },
    type: "Normal",
    firstTimestamp: "2001-01-01T00:00:00Z",
    lastTimestamp: "2001-01-01T00:00:00Z",
  });
const pod = (name: string, image: string, metadata: object = {}): Step =>
  create(
    pods,
    objectOf("v1", "Pod", { spec: { containers: [{ name: "c", image }] } }, { name, ...metadata }),
  );

const cases: Case[] = [
  sequence("EventRateLimit: a burst and no more", event("a"), event("b"), event("c")),
  sequence(
    "ImagePolicyWebhook: as the backend says",
    pod("a", "good"),
    pod("b", "bad"),
    pod("c", "silent"),
    pod("d", "bad", { annotations: { "break.image-policy.k8s.io/glass": "ticket-1", other: "x" } }),
  ),
];

/** Event limits and image policies as a file configures them. */
export const admissionConfiguredArea: Area = {
  name: "admission-configured",
  async surround() {
    const builder = await SurroundingsBuilder.open();
    const kubeConfigFile = await builder.webhook({ ImageReview: judgeImages });
    const configuration = await builder.file("admission.yaml", {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AdmissionConfiguration",
      plugins: [
        {
          name: "EventRateLimit",
          configuration: {
            apiVersion: "eventratelimit.admission.k8s.io/v1alpha1",
            kind: "Configuration",
            limits: [{ type: "Namespace", qps: 1, burst: 2 }],
          },
        },
        {
          name: "ImagePolicyWebhook",
          configuration: { imagePolicy: { kubeConfigFile, defaultAllow: false } },
        },
      ],
    });
    return builder.surround([
      "--authorization-mode=AlwaysAllow",
      "--disable-admission-plugins=ServiceAccount",
      "--enable-admission-plugins=EventRateLimit,ImagePolicyWebhook",
      `--admission-control-config-file=${configuration}`,
    ]);
  },
  cases,
};

function judgeImages({
  containers,
  annotations = {},
}: {
  readonly containers: readonly { readonly image: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
}): object {
  const images = containers.map(({ image }) => image);
  if (images.includes("silent")) return { allowed: false };
  if (!images.includes("bad") || Object.keys(annotations).length === 1) return { allowed: true };
  return { allowed: false, reason: "bad is bad" };
}

/** A server that admits everything, and one that requires namespaces to exist. */
export const alwaysAdmitPluginArea: Area = {
  name: "admission-always-admit",
  flags: [
    "--authorization-mode=AlwaysAllow",
    "--disable-admission-plugins=ServiceAccount",
    "--enable-admission-plugins=AlwaysAdmit,NamespaceExists",
  ],
  cases: [
    sequence(
      "AlwaysAdmit and NamespaceExists",
      create(configMaps, objectOf("v1", "ConfigMap", {})),
      create("/api/v1/namespaces/none-{ns}/configmaps", objectOf("v1", "ConfigMap", {})),
    ),
  ],
};
