import type { PodAffinity, PodSpec, PodTemplateSpec, Volume } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { ipWarnings } from "#/machinery/meta/ip-rules.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { append } from "#/std/base/append.ts";
import { repeatedIndices } from "#/std/base/by-key.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { deprecatedNodeLabel, nodeSelectorTermWarnings } from "../../rules/node-selector.ts";
import { visitContainers } from "./base/visit-containers.ts";
import { containerWarnings, portWarnings } from "./container-warnings.ts";
import { fractionWarnings } from "./fraction-warnings.ts";
import {
  appArmorPrefix,
  appArmorProfileOf,
  seccompAnnotation,
  seccompContainerPrefix,
} from "./pod-annotations.ts";
import { overlapWarnings } from "./volumes/volume-warnings.ts";

/**
 * Warnings for a Pod that is accepted.
 *
 * Upstream: pkg/api/pod/warnings.go.
 */

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** Warnings for a Pod; `ofSpec` is the result of specWarnings(). */
export function podWarnings(pod: PodLike, ofSpec?: readonly string[]): readonly string[] {
  return ofSpec && !hasAlphaAnnotation(pod.metadata) ? ofSpec : warningsOf(pod, inPod);
}

/** Warnings for a Pod's spec that do not depend on its metadata. */
export const specWarnings = (spec: PodSpec): readonly string[] =>
  warningsOf({ metadata: {}, spec }, inPod);

/** Whether there is an alpha annotation: only these cause warnings. */
function hasAlphaAnnotation({ annotations: given }: ObjectMeta): boolean {
  for (const key in given) if (key.includes(".alpha.kubernetes.io/")) return true;
  return false;
}

/** Warnings for a template at a path. */
export function podTemplateWarnings(template: PodTemplateSpec, path: FieldPath): string[] {
  return warningsOf(template, {
    spec: path.child("spec"),
    annotations: path.child("metadata").child("annotations"),
    isTemplate: true,
  });
}

interface Places {
  readonly spec: FieldPath;
  readonly annotations: FieldPath;
  readonly isTemplate: boolean;
}

const inPod: Places = {
  spec: fieldPath("spec"),
  annotations: fieldPath("metadata", "annotations"),
  isTemplate: false,
};

function warningsOf({ metadata, spec }: PodLike, places: Places): string[] {
  const warnings = nodeWarnings(spec, places.spec);
  const add = (more: readonly string[]): void => {
    if (more.length > 0) append(warnings, more);
  };
  add(annotationWarnings(metadata, places.annotations));
  spec.volumes?.forEach((volume, index) => {
    add(volumeWarnings(volume, places.spec.child("volumes").index(index)));
  });
  add(overlapWarnings(spec.volumes));
  add(duplicateWarnings(spec, places.spec));
  if (spec.overhead) add(fractionWarnings(spec.overhead, places.spec.child("overhead")));
  add(profileWarnings(metadata, spec, places));
  add(allContainerWarnings(metadata, spec, places));
  add(portWarnings(spec, places.spec));
  add(graceWarnings(spec, places.spec));
  if (spec.affinity) add(affinityWarnings(spec, places.spec.child("affinity")));
  add(addressWarnings(spec, places.spec));
  return warnings;
}

/** Warnings for deprecated node labels, and for selectors that match nothing. */
function nodeWarnings(spec: PodSpec, path: FieldPath): string[] {
  const warnings: string[] = [];
  for (const key in spec.nodeSelector) {
    const message = deprecatedNodeLabel(key);
    if (message !== undefined) warnings.push(`${path.child("nodeSelector").key(key)}: ${message}`);
  }
  const affinity = spec.affinity?.nodeAffinity;
  const at = path.child("affinity").child("nodeAffinity");
  const { nodeSelectorTerms = [] } = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  nodeSelectorTerms.forEach((term, index) => {
    const terms = at.child("requiredDuringSchedulingIgnoredDuringExecution");
    append(warnings, nodeSelectorTermWarnings(term, terms.child("nodeSelectorTerms").index(index)));
  });
  affinity?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ preference }, index) => {
    const place = at.child("preferredDuringSchedulingIgnoredDuringExecution").index(index);
    const options = { checkValues: true };
    append(warnings, nodeSelectorTermWarnings(preference, place.child("preference"), options));
  });
  spec.topologySpreadConstraints?.forEach(({ topologyKey, labelSelector }, index) => {
    const place = path.child("topologySpreadConstraints").index(index);
    const message = deprecatedNodeLabel(topologyKey);
    if (message !== undefined) {
      warnings.push(`${place.child("topologyKey")}: ${topologyKey} is ${message}`);
    }
    if (labelSelector === undefined) warnings.push(nullSelector(place));
  });
  return warnings;
}

const nullSelector = (path: FieldPath): string =>
  `${path.child("labelSelector")}: a null labelSelector results in matching no pod`;

const deprecatedAnnotations: ReadonlyMap<string, string> = new Map([
  [
    "scheduler.alpha.kubernetes.io/critical-pod",
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  [
    "security.alpha.kubernetes.io/sysctls",
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
  [
    "security.alpha.kubernetes.io/unsafe-sysctls",
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
]);

function annotationWarnings({ annotations: given }: ObjectMeta, path: FieldPath): string[] {
  if (given === undefined) return [];
  return Array.from(deprecatedAnnotations)
    .filter(([key]) => given[key] !== undefined)
    .map(([key, message]) => `${path.key(key)}: ${message}`);
}

/** Deprecated sources of volumes, in upstream's order. */
const deprecatedSources: readonly (readonly [keyof Volume, string, string?])[] = [
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+", "storageOS"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

function volumeWarnings(volume: Volume, path: FieldPath): string[] {
  const warnings: string[] = [];
  for (const [field, message, place = field] of deprecatedSources) {
    if (volume[field] !== undefined) warnings.push(`${path.child(place)}: ${message}`);
  }
  const claim = volume.ephemeral?.volumeClaimTemplate;
  if (claim === undefined) return warnings;
  const at = path.child("ephemeral").child("volumeClaimTemplate").child("spec").child("resources");
  for (const which of ["requests", "limits"] as const) {
    append(warnings, fractionWarnings(claim.spec.resources?.[which], at.child(which), ["storage"]));
  }
  return warnings;
}

function duplicateWarnings(spec: PodSpec, path: FieldPath): string[] {
  const { hostAliases = [], imagePullSecrets = [] } = spec;
  if (hostAliases.length === 0 && imagePullSecrets.length === 0) return [];
  const addresses = hostAliases.map(({ ip }) => ip);
  const names = imagePullSecrets.map(({ name = "" }) => name);
  const repeated = (values: readonly string[], list: string, field: string): string[] =>
    [...repeatedIndices(values)].map((index) => {
      const at = path.child(list).index(index).child(field);
      return `${at}: duplicate ${field} ${goQuote(values[index] ?? "")}`;
    });
  return [
    ...repeated(addresses, "hostAliases", "ip"),
    ...repeated(names, "imagePullSecrets", "name"),
    ...names.flatMap((name, index) => {
      const at = path.child("imagePullSecrets").index(index).child("name");
      return name === "" ? [`${at}: invalid empty name ""`] : [];
    }),
  ];
}

const oldSeccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';

function profileWarnings(
  { annotations: given }: ObjectMeta,
  spec: PodSpec,
  places: Places,
): string[] {
  if (given?.[seccompAnnotation] === undefined || spec.securityContext?.seccompProfile) return [];
  return [`${places.annotations.key(seccompAnnotation)}: ${oldSeccomp}`];
}

function allContainerWarnings(
  { annotations: given = {} }: ObjectMeta,
  spec: PodSpec,
  places: Places,
): string[] {
  const warnings: string[] = [];
  const ofPod = spec.securityContext?.appArmorProfile;
  visitContainers(spec, places.spec, (container, path) => {
    const { name, securityContext } = container;
    const seccompKey = seccompContainerPrefix + name;
    if (given[seccompKey] !== undefined && !securityContext?.seccompProfile) {
      warnings.push(`${places.annotations.key(seccompKey)}: ${oldSeccomp}`);
    }
    const appArmorKey = appArmorPrefix + name;
    const profile = given[appArmorKey];
    // For a Pod's own annotation, the conversion to the field gives this warning.
    if (places.isTemplate && profile !== undefined && !securityContext?.appArmorProfile) {
      if (ofPod === undefined || !deepEqual(ofPod, appArmorProfileOf(profile))) {
        warnings.push(oldAppArmor(places.annotations.key(appArmorKey)));
      }
    }
    append(warnings, containerWarnings(container, path));
  });
  return warnings;
}

/** The warning for an AppArmor profile in an annotation. */
export const oldAppArmor = (path: FieldPath): string =>
  `${path}: deprecated since v1.30; use the "appArmorProfile" field instead`;

function graceWarnings(
  { terminationGracePeriodSeconds: grace }: PodSpec,
  path: FieldPath,
): string[] {
  if (grace === undefined || grace >= 0) return [];
  const message = "must be >= 0; negative values are invalid and will be treated as 1";
  return [`${path.child("terminationGracePeriodSeconds")}: ${message}`];
}

function affinityWarnings({ affinity }: PodSpec, path: FieldPath): string[] {
  const of = (given: PodAffinity | undefined, at: FieldPath): string[] => {
    const required = given?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = given?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    return [
      ...required.flatMap(({ labelSelector }, index) => {
        const place = at.child("requiredDuringSchedulingIgnoredDuringExecution").index(index);
        return labelSelector ? [] : [nullSelector(place)];
      }),
      ...preferred.flatMap(({ podAffinityTerm }, index) => {
        const place = at.child("preferredDuringSchedulingIgnoredDuringExecution").index(index);
        return podAffinityTerm.labelSelector ? [] : [nullSelector(place.child("podAffinityTerm"))];
      }),
    ];
  };
  return [
    ...of(affinity?.podAffinity, path.child("podAffinity")),
    ...of(affinity?.podAntiAffinity, path.child("podAntiAffinity")),
  ];
}

function addressWarnings({ dnsConfig, hostAliases = [] }: PodSpec, path: FieldPath): string[] {
  const nameservers = dnsConfig?.nameservers ?? [];
  if (nameservers.length === 0 && hostAliases.length === 0) return [];
  return [
    ...nameservers.flatMap((address, index) =>
      ipWarnings(path.child("dnsConfig").child("nameservers").index(index), address),
    ),
    ...hostAliases.flatMap(({ ip }, index) =>
      ipWarnings(path.child("hostAliases").index(index).child("ip"), ip),
    ),
  ];
}
