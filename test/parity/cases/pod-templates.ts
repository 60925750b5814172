import type { Area, Case } from "../case.ts";
import { attempt, container, pod } from "./pod-bodies.ts";
import { create, merge, read } from "./steps.ts";

const templates = "/api/v1/namespaces/{ns}/podtemplates";
const controllers = "/api/v1/namespaces/{ns}/replicationcontrollers";
const labels = { a: "b" };
const template = (spec: object = {}, metadata: object = { labels }): object => {
  const { spec: whole } = pod(spec) as { spec: object };
  return { metadata, spec: whole };
};
const podTemplate = (content: object, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "PodTemplate",
  metadata: { name: "t", ...metadata },
  ...content,
});
const controller = (spec: object, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "ReplicationController",
  metadata: { name: "r", ...metadata },
  spec,
});

const templateCases: Case[] = [
  {
    name: "pod templates",
    steps: [
      attempt(templates, podTemplate({})),
      attempt(templates, podTemplate({ template: template() }, { name: "A" })),
      attempt(
        templates,
        podTemplate({ template: template({ ephemeralContainers: [container({ name: "e" })] }) }),
      ),
      attempt(
        templates,
        podTemplate({
          template: template({ terminationGracePeriodSeconds: -1, nodeSelector: { "a b": "c" } }),
        }),
      ),
      attempt(
        templates,
        podTemplate({
          template: template({}, { labels: { "a b": "c" }, annotations: { "x y": "z" } }),
        }),
      ),
      attempt(
        templates,
        podTemplate({
          template: template(
            { containers: [container({ env: [{ name: "A" }, { name: "A" }] })] },
            { annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" } },
          ),
        }),
      ),
      attempt(
        templates,
        podTemplate({
          template: template({
            hostNetwork: true,
            containers: [container({ ports: [{ containerPort: 1, hostPort: 2 }] })],
          }),
        }),
      ),
      create(templates, podTemplate({ template: template() })),
      merge(`${templates}/t`, { template: { spec: { hostNetwork: true } } }),
      merge(`${templates}/t`, { template: { spec: { restartPolicy: "Odd" } } }),
      {
        method: "GET",
        path: `${templates}?includeObject=None`,
        headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      },
      { method: "DELETE", path: `${templates}/t` },
    ],
  },
];

const controllerCases: Case[] = [
  {
    name: "replication controllers",
    steps: [
      attempt(controllers, controller({})),
      attempt(
        controllers,
        controller({ replicas: -1, minReadySeconds: -1, template: template() }, { name: "A" }),
      ),
      attempt(controllers, controller({ selector: { a: "c" }, template: template() })),
      attempt(
        controllers,
        controller({ template: template({ restartPolicy: "Never", activeDeadlineSeconds: 5 }) }),
      ),
      attempt(controllers, controller({ template: template() }, { name: "a.b" })),
      create(controllers, controller({ template: template() })),
      merge(`${controllers}/r`, { spec: { replicas: 3 } }),
      merge(`${controllers}/r`, { spec: { replicas: -3, selector: { x: "y" } } }),
      merge(`${controllers}/r`, { status: { replicas: 3 } }),
      merge(`${controllers}/r/status`, {
        status: { replicas: 2, readyReplicas: 1, observedGeneration: 2 },
      }),
      merge(`${controllers}/r/status`, {
        status: {
          replicas: -1,
          readyReplicas: 3,
          availableReplicas: 4,
          fullyLabeledReplicas: 2,
          observedGeneration: -1,
        },
      }),
      read(`${controllers}/r/scale`),
      merge(`${controllers}/r/scale`, { spec: { replicas: 7 } }),
      read(`${controllers}?fieldSelector=status.replicas%3D2`),
      read(`${controllers}?fieldSelector=spec.replicas%3D2`),
      {
        method: "GET",
        path: `${controllers}?includeObject=None`,
        headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      },
      { method: "DELETE", path: `${controllers}/r` },
      read(`${controllers}/r`),
    ],
  },
];

/** Pod templates by themselves and in replication controllers. */
export const podTemplatesArea: Area = {
  name: "pod-templates",
  cases: [...templateCases, ...controllerCases],
};
