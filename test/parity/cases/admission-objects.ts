import type { Area, Case, Step } from "../case.ts";
import { objectOf } from "./create-each.ts";
import { sequence } from "./sequence.ts";
import { create, merge, pods, read } from "./steps.ts";

const claims = "/api/v1/namespaces/{ns}/persistentvolumeclaims";
const storageClasses = "/apis/storage.k8s.io/v1/storageclasses";
const ingressClasses = "/apis/networking.k8s.io/v1/ingressclasses";
const ingresses = "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses";
const csrs = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const remove = (path: string): Step => ({ method: "DELETE", path });

/** A CSR of eve, with the group system:masters. */
const mastersRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQlpqQ0IwQUlCQURBbk1SY3dGUVlEVlFRS0RBNXplWE4wWlcwNmJXRnpkR1Z5Y3pFTU1Bb0dBMVVFQXd3RApaWFpsTUlHZk1BMEdDU3FHU0liM0RRRUJBUVVBQTRHTkFEQ0JpUUtCZ1FERm81aGIrWkJDNzF4Vm12bWc3RVhhCmlyWm81Vk1yZkIyMHJFWEpWZDNXNHhPaDlMeHpCRTd2NnRBNHFGd2hhdGtxVFIxaVFWNCtOc3RRd2xyTUFydUcKanhYQUVhb2lnZkpBRC9TZEVsdWgrdFdrZE0yZi9QdVdNUHZTanNqYThLbjMvL3IzV0xlQjBTbzJuMlRoeWllOQpua0l1RHpmZGxmOXNuclJ4emg5S293SURBUUFCb0FBd0RRWUpLb1pJaHZjTkFRRUxCUUFEZ1lFQXJmYUR6Tzg0Cko3SldPbFZDWHpvNWFzaDgzQThmT2w5Nkk0QmFxSTg1ejNJR0tNa3c3TDB4RDVPUUNNSW8xdDFnU0krS0htaEQKbkJCcUZMa0R1amxheEMrUlRObExOVkczYmpzWEpiWEw0Y2ZMejNaMHRmWDEzN0RJbkxJN0VuZ0tzZnNHL29YaQpLM1c2VmlDMEJKdUpnM1BvclZZQm1leU1UaTBFNWlXeTlLRT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";

const storageClass = (name: string, allowVolumeExpansion: boolean): object =>
  objectOf(
    "storage.k8s.io/v1",
    "StorageClass",
    { provisioner: "p.example.com", allowVolumeExpansion },
    { name },
  );
const claim = (name: string, storageClassName: string): object =>
  objectOf(
    "v1",
    "PersistentVolumeClaim",
    {
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName,
        volumeName: "v",
        resources: { requests: { storage: "1Gi" } },
      },
    },
    { name },
  );
const larger = { spec: { resources: { requests: { storage: "2Gi" } } } };
const bound = { status: { phase: "Bound", capacity: { storage: "1Gi" } } };
const ingressClass = (name: string): object =>
  objectOf(
    "networking.k8s.io/v1",
    "IngressClass",
    { spec: { controller: "example.com/c" } },
    { name, annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
  );
const ingress = (name: string): object =>
  objectOf(
    "networking.k8s.io/v1",
    "Ingress",
    { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
    { name },
  );
const csr = (signerName: string): object =>
  objectOf(
    "certificates.k8s.io/v1",
    "CertificateSigningRequest",
    { spec: { signerName, usages: ["client auth"], request: mastersRequest } },
    { name: "{ns}" },
  );
const pod = (name: string, more: object = {}): object =>
  objectOf(
    "v1",
    "Pod",
    {
      spec: {
        containers: [
          {
            name: "c",
            image: "i",
            resources: { requests: { cpu: "100m" }, limits: { cpu: "200m" } },
          },
        ],
        ...more,
      },
    },
    { name },
  );
const resize = {
  spec: { containers: [{ name: "c", resources: { requests: { cpu: "150m" } } }] },
};

const cases: Case[] = [
  sequence(
    "resize of a claim: only where its class allows it",
    create(storageClasses, storageClass("fixed-{ns}", false)),
    create(storageClasses, storageClass("grows-{ns}", true)),
    create(claims, claim("fixed", "fixed-{ns}")),
    create(claims, claim("grows", "grows-{ns}")),
    merge(`${claims}/fixed/status`, bound),
    merge(`${claims}/grows/status`, bound),
    merge(`${claims}/fixed`, larger),
    merge(`${claims}/grows`, larger),
    merge(`${claims}/grows`, { spec: { resources: { requests: { storage: "1Mi" } } } }),
  ),
  sequence(
    "claims and volumes in use are protected",
    create(claims, claim("a", "")),
    create(
      "/api/v1/persistentvolumes",
      objectOf(
        "v1",
        "PersistentVolume",
        {
          spec: {
            capacity: { storage: "1Gi" },
            accessModes: ["ReadWriteOnce"],
            hostPath: { path: "/x" },
          },
        },
        { name: "{ns}" },
      ),
    ),
  ),
  sequence(
    "ingress: the default class",
    create(ingresses, ingress("none")),
    create(ingressClasses, ingressClass("one-{ns}")),
    { ...create(ingresses, ingress("one")), waitSeconds: 1 },
    create(ingressClasses, ingressClass("two-{ns}")),
    { ...create(ingresses, ingress("two")), waitSeconds: 1 },
    remove(`${ingressClasses}/one-{ns}`),
    remove(`${ingressClasses}/two-{ns}`),
  ),
  sequence(
    "certificates: not for system:masters",
    create(csrs, csr("kubernetes.io/kube-apiserver-client")),
    create(csrs, csr("example.com/other")),
  ),
  sequence(
    "nodes: not ready from the start",
    create("/api/v1/nodes", objectOf("v1", "Node", {}, { name: "{ns}" })),
    read("/api/v1/nodes/{ns}"),
    remove("/api/v1/nodes/{ns}"),
  ),
  sequence(
    "resize of a pod",
    create(pods, pod("a")),
    {
      ...merge(`${pods}/a/resize`, resize),
      headers: { "content-type": "application/strategic-merge-patch+json" },
    },
    create(pods, pod("w", { os: { name: "windows" } })),
    {
      ...merge(`${pods}/w/resize`, resize),
      headers: { "content-type": "application/strategic-merge-patch+json" },
    },
  ),
];

/** Plugins that are on by default and apply to few kinds. */
export const admissionObjectsArea: Area = {
  name: "admission-objects",
  cases,
};
