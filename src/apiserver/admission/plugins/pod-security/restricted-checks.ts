import type { Volume } from "#/api/core/v1.ts";
import { procMount } from "./baseline-checks.ts";
import {
  type Check,
  type CheckPod,
  containersOf,
  named,
  plural,
  quoted,
  settersOf,
  unlessOwnUsers,
  unlessWindows,
} from "./check.ts";
import { seccompProfileRequired } from "./profile-checks.ts";

/**
 * The checks that the standard "restricted" adds.
 * Upstream: staging/src/k8s.io/pod-security-admission/policy/check_*.go.
 */

const allowPrivilegeEscalation: CheckPod = (spec) => {
  const names = containersOf(spec)
    .filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false)
    .map(({ name }) => name);
  if (names.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${named(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const capabilities: CheckPod = (spec) => {
  const keeping: string[] = [];
  const adding: string[] = [];
  const added = new Set<string>();
  for (const { name, securityContext } of containersOf(spec)) {
    const { add = [], drop = [] } = securityContext?.capabilities ?? {};
    if (!drop.includes("ALL")) keeping.push(name);
    const bad = add.filter((capability) => capability !== "NET_BIND_SERVICE");
    if (bad.length > 0) adding.push(name);
    for (const capability of bad) added.add(capability);
  }
  const details: string[] = [];
  if (keeping.length > 0) {
    details.push(`${named(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) {
    const list = quoted([...added].sort());
    details.push(`${named(adding)} must not include ${list} in securityContext.capabilities.add`);
  }
  if (details.length === 0) return undefined;
  return { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const allowedVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const satisfies (keyof Volume)[];

/** Volume types that messages name. */
const otherVolumes = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
] as const satisfies (keyof Volume)[];

const volumeTypes: CheckPod = ({ volumes = [] }) => {
  const bad = volumes.filter((volume) => !allowedVolumes.some((type) => volume[type]));
  if (bad.length === 0) return undefined;
  const types = new Set(
    bad.map((volume) => otherVolumes.find((type) => volume[type]) ?? "unknown"),
  );
  const noun = plural("volume", "volumes", bad.length);
  const verb = plural("uses", "use", bad.length);
  const what = plural("restricted volume type", "restricted volume types", types.size);
  const names = quoted(bad.map(({ name }) => name));
  return {
    reason: "restricted volume types",
    detail: `${noun} ${names} ${verb} ${what} ${quoted([...types].sort())}`,
  };
};

const runAsNonRoot: CheckPod = (spec) => {
  const reason = "runAsNonRoot != true";
  const ofPod = spec.securityContext?.runAsNonRoot;
  const all = containersOf(spec).map(({ name, securityContext }) => ({
    name,
    value: securityContext?.runAsNonRoot,
  }));
  const wrong = all.filter(({ value }) => value === false).map(({ name }) => name);
  const setters = settersOf(ofPod === false, wrong);
  if (setters !== "") {
    return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  }
  const silent = all.filter(({ value }) => value === undefined).map(({ name }) => name);
  if (ofPod || silent.length === 0) return undefined;
  const detail = `pod or ${named(silent)} must set securityContext.runAsNonRoot=true`;
  return { reason, detail };
};

const runAsUser: CheckPod = (spec) => {
  const names = containersOf(spec)
    .filter(({ securityContext }) => securityContext?.runAsUser === 0)
    .map(({ name }) => name);
  const setters = settersOf(spec.securityContext?.runAsUser === 0, names);
  if (setters === "") return undefined;
  return { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` };
};

const overCapabilities = ["capabilities_baseline"];
const overSeccomp = ["seccompProfile_baseline"];

/** All restricted checks, in the order in which violations are reported, after the baseline. */
export const restrictedChecks: readonly Check[] = [
  {
    id: "allowPrivilegeEscalation",
    level: "restricted",
    versions: [
      { since: 8, check: allowPrivilegeEscalation },
      { since: 25, check: unlessWindows(allowPrivilegeEscalation) },
    ],
  },
  {
    id: "capabilities_restricted",
    level: "restricted",
    versions: [
      { since: 22, check: capabilities, overrides: overCapabilities },
      { since: 25, check: unlessWindows(capabilities), overrides: overCapabilities },
    ],
  },
  {
    id: "procMount_restricted",
    level: "restricted",
    versions: [{ since: 35, check: procMount, overrides: ["procMount"] }],
  },
  {
    id: "restrictedVolumes",
    level: "restricted",
    versions: [{ since: 0, check: volumeTypes, overrides: ["hostPathVolumes"] }],
  },
  {
    id: "runAsNonRoot",
    level: "restricted",
    versions: [
      { since: 0, check: runAsNonRoot },
      { since: 35, check: unlessOwnUsers(runAsNonRoot) },
    ],
  },
  {
    id: "runAsUser",
    level: "restricted",
    versions: [
      { since: 23, check: runAsUser },
      { since: 35, check: unlessOwnUsers(runAsUser) },
    ],
  },
  {
    id: "seccompProfile_restricted",
    level: "restricted",
    versions: [
      { since: 19, check: seccompProfileRequired, overrides: overSeccomp },
      { since: 25, check: unlessWindows(seccompProfileRequired), overrides: overSeccomp },
    ],
  },
];
