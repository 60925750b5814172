import type { AppArmorProfile, PodSpec, SeccompProfile, Toleration } from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { parseInt64 } from "#/machinery/values/int64.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import { allContainers, visitContainers } from "./base/visit-containers.ts";
import { type TolerationOptions, validateTolerations } from "./validate-tolerations.ts";
import { validateDescendingPath } from "./volumes/local-path.ts";

/**
 * Annotations of Pods that Kubernetes interprets: those of mirror Pods, and legacy ones that fields replaced.
 *
 * Upstream: pkg/apis/core/validation/validation.go, pkg/apis/core/annotation_key_constants.go.
 */

type Annotations = Readonly<Record<string, string>>;

/** Marks a mirror Pod: the kubelet runs it from a local manifest. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";
const tolerationsAnnotation = "scheduler.alpha.kubernetes.io/tolerations";
const deletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";
/** Legacy annotation for the seccomp profile of a Pod. */
export const seccompAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
/** Legacy annotation prefix for the seccomp profile of a container, followed by its name. */
export const seccompContainerPrefix = "container.seccomp.security.alpha.kubernetes.io/";
/** Legacy annotation prefix for the AppArmor profile of a container, followed by its name. */
export const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

const localhostPrefix = "localhost/";
const runtimeDefault = "runtime/default";
const unconfined = "unconfined";

/** Options of the rules for annotations. */
export interface AnnotationOptions extends TolerationOptions {
  readonly allowInvalidDeletionCost: boolean;
}

/** Checks the annotations that Kubernetes interprets. */
export function validatePodAnnotations(
  report: FieldReport,
  path: FieldPath,
  { annotations = {}, spec }: { annotations: Annotations | undefined; spec: PodSpec },
  options: AnnotationOptions,
): void {
  const mirror = annotations[mirrorAnnotation];
  if (mirror !== undefined && !spec.nodeName) {
    const detail = "must set spec.nodeName if mirror pod annotation is set";
    report.invalid(path.key(mirrorAnnotation), "", mirror, detail);
  }
  if (annotations[tolerationsAnnotation]) {
    validateTolerationsText(report, path, annotations[tolerationsAnnotation], options);
  }
  if (!options.allowInvalidDeletionCost && !isDeletionCost(annotations)) {
    const at = path.key(deletionCostAnnotation);
    report.invalid(at, "", annotations[deletionCostAnnotation], "must be a 32bit integer");
  }
  validateSeccompAnnotations(report, path, annotations);
  validateAppArmorAnnotations(report, path, annotations, spec);
}

/** Whether the deletion cost of a Pod, if set, is a 32-bit integer. */
export function isDeletionCost(annotations: Annotations | undefined): boolean {
  const text = annotations?.[deletionCostAnnotation];
  if (text === undefined) return true;
  if (!/^(-|0$|[1-9])/.test(text)) return false;
  const value = parseInt64(text);
  return value !== undefined && BigInt.asIntN(32, value) === value;
}

function validateTolerationsText(
  report: FieldReport,
  path: FieldPath,
  text: string,
  options: TolerationOptions,
): void {
  try {
    const tolerations = JSON.parse(text) as Toleration[];
    validateTolerations(report, path.child(tolerationsAnnotation), tolerations, options);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    report.invalid(path, "", tolerationsAnnotation, error.message);
  }
}

function validateSeccompAnnotations(
  report: FieldReport,
  path: FieldPath,
  annotations: Annotations,
): void {
  for (const key in annotations) {
    if (key !== seccompAnnotation && !key.startsWith(seccompContainerPrefix)) continue;
    const profile = annotations[key] ?? "";
    if (isSeccompRuntimeDefault(profile) || profile === unconfined) continue;
    if (profile.startsWith(localhostPrefix)) {
      validateDescendingPath(report, path, key, profile.slice(localhostPrefix.length));
    } else report.invalid(path, key, profile, "must be a valid seccomp profile");
  }
}

const isSeccompRuntimeDefault = (profile: string): boolean =>
  profile === runtimeDefault || profile === "docker/default";

function validateAppArmorAnnotations(
  report: FieldReport,
  path: FieldPath,
  annotations: Annotations,
  spec: PodSpec,
): void {
  const keys = Object.keys(annotations ?? {}).filter((key) => key.startsWith(appArmorPrefix));
  const containers = keys.length > 0 && new Set(allContainers(spec).map(({ name }) => name));
  for (const key of containers ? keys : []) {
    const container = key.slice(appArmorPrefix.length);
    if (containers && !containers.has(container)) {
      report.invalid(path.key(key), "", container, "container not found");
    }
    const profile = annotations[key] ?? "";
    const known = profile === "" || profile === runtimeDefault || profile === unconfined;
    if (known || profile.startsWith(localhostPrefix)) continue;
    const detail = `invalid AppArmor profile name: ${goQuote(profile)}`;
    report.invalid(path.key(key), "", profile, detail);
  }
}

/** The profile that a legacy annotation names; undefined if none. */
export function appArmorProfileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === unconfined) return { type: "Unconfined" };
  if (annotation === runtimeDefault) return { type: "RuntimeDefault" };
  const localhostProfile = localProfileOf(annotation);
  return localhostProfile ? { type: "Localhost", localhostProfile } : undefined;
}

function localProfileOf(annotation: string): string | undefined {
  if (!annotation.startsWith(localhostPrefix)) return undefined;
  return annotation.slice(localhostPrefix.length);
}

/** Checks that fields and legacy annotations agree: first seccomp, then AppArmor. */
export function validateProfileAnnotations(
  report: FieldReport,
  path: FieldPath,
  { annotations = {}, spec }: { annotations: Annotations | undefined; spec: PodSpec },
): void {
  if (!Object.keys(annotations).some(isProfileAnnotation)) return;
  const { securityContext: ofPod, os } = spec;
  const match = (at: FieldPath, kind: string, profile: AnyProfile, annotation: string): void => {
    validateMatch(report, at, { kind, profile, annotation });
  };
  if (ofPod?.seccompProfile && annotations[seccompAnnotation] !== undefined) {
    const at = path.child("securityContext").child("seccompProfile");
    match(at, "seccomp", ofPod.seccompProfile, annotations[seccompAnnotation]);
  }
  visitContainers(spec, path, ({ name, securityContext }, at) => {
    const annotation = annotations[seccompContainerPrefix + name];
    if (!securityContext?.seccompProfile || annotation === undefined) return;
    const place = at.child("securityContext").child("seccompProfile");
    match(place, "seccomp", securityContext.seccompProfile, annotation);
  });
  if (os?.name === "windows") return;
  visitContainers(spec, path, ({ name, securityContext }, at) => {
    const profile = securityContext?.appArmorProfile ?? ofPod?.appArmorProfile;
    const annotation = annotations[appArmorPrefix + name];
    if (!profile || annotation === undefined) return;
    match(at.child("securityContext").child("appArmorProfile"), "apparmor", profile, annotation);
  });
}

const isProfileAnnotation = (key: string): boolean =>
  key === seccompAnnotation ||
  key.startsWith(seccompContainerPrefix) ||
  key.startsWith(appArmorPrefix);

type AnyProfile = SeccompProfile | AppArmorProfile;

function validateMatch(
  report: FieldReport,
  path: FieldPath,
  given: { kind: string; profile: AnyProfile; annotation: string },
): void {
  const { kind, profile, annotation } = given;
  const typeMatches = {
    Unconfined: annotation === unconfined,
    RuntimeDefault:
      kind === "seccomp" ? isSeccompRuntimeDefault(annotation) : annotation === runtimeDefault,
    Localhost: annotation.startsWith(localhostPrefix),
  }[profile.type as string];
  if (typeMatches === false) {
    report.forbidden(path, "type", `${kind} type in annotation and field must match`);
  } else if (
    profile.type === "Localhost" &&
    localProfileOf(annotation) !== profile.localhostProfile
  ) {
    const detail = `${kind} profile in annotation and field must match`;
    report.forbidden(path, "localhostProfile", detail);
  }
}
