import type { Volume, VolumeSource } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1123Label, isLongerThan, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { FieldReport } from "../../../rules/field-report.ts";
import type { PodValidationOptions } from "../base/pod-gates.ts";
import { type AnySourceRule, volumeSources } from "./volume-sources.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

/** Checks the volumes of a Pod, and returns the valid ones by name. */
export function validateVolumes(
  volumes: readonly Volume[] | undefined,
  path: FieldPath,
  given: { report: FieldReport; options: PodValidationOptions; metadata: ObjectMeta | undefined },
): ReadonlyMap<string, Volume> {
  const valid = new Map<string, Volume>();
  if (volumes === undefined) return valid;
  const podName = given.metadata?.name ?? "";
  const createdClaims = new Set<string>();
  for (const { name, ephemeral } of volumes) {
    if (podName !== "" && ephemeral) createdClaims.add(`${podName}-${name}`);
  }
  volumes.forEach((volume, index) => {
    const at = path.index(index);
    const report = new FieldReport();
    validateVolume(volume, at, { ...given, report, podName });
    if (valid.has(volume.name)) report.duplicate(at, "name", volume.name);
    if (report.errors.length === 0) valid.set(volume.name, volume);
    given.report.add(report.errors);
    const claimName = volume.persistentVolumeClaim?.claimName;
    if (claimName !== undefined && createdClaims.has(claimName)) {
      const detail = "must not reference a PVC that gets created for an ephemeral volume";
      given.report.invalid(at.child("persistentVolumeClaim"), "claimName", claimName, detail);
    }
  });
  return valid;
}

interface VolumeContext {
  readonly report: FieldReport;
  readonly options: PodValidationOptions;
  readonly podName: string;
}

function validateVolume(volume: Volume, path: FieldPath, context: VolumeContext): void {
  const { report } = context;
  validateOneSource(volume, path, context);
  const { name = "" } = volume;
  if (name === "") report.required(path, "name");
  else report.problems(path, "name", name, isDNS1123Label(name));
}

/** The rules of the sources that a volume has: exactly one in a valid volume. */
function rulesFor(volume: Volume): Iterable<AnySourceRule> {
  let only: AnySourceRule | undefined;
  for (const key in volume) {
    const rule = sourceRules.get(key);
    if (rule === undefined || volume[rule.field] === undefined) continue;
    if (only !== undefined) return volumeSources;
    only = rule;
  }
  return only === undefined ? [] : [only];
}

const sourceRules: ReadonlyMap<string, AnySourceRule> = new Map(
  volumeSources.map((rule) => [rule.field, rule]),
);

/** The first source is checked; each further one is an error. */
function validateOneSource(volume: Volume, path: FieldPath, context: VolumeContext): void {
  const { report, options } = context;
  let found = 0;
  for (const { field, at = field, surplusName = at, validate } of rulesFor(volume)) {
    const source = volume[field];
    if (source === undefined) continue;
    if (found++ > 0) {
      report.forbidden(path, surplusName, "may not specify more than 1 volume type");
    } else {
      validate(source as Required<VolumeSource>[never], path.child(at), report, options);
      if (field === "ephemeral") validateClaimName(volume.name, path, context);
    }
    if (field === "iscsi") validateIscsiName(volume, path, report);
  }
  if (found === 0) report.required(path, "", "must specify a volume type");
}

/** The claim of an ephemeral volume is named after the Pod and the volume. */
function validateClaimName(
  volumeName: string,
  path: FieldPath,
  { report, podName }: VolumeContext,
): void {
  if (podName === "" || !volumeName) return;
  const claimName = `${podName}-${volumeName}`;
  for (const problem of nameIsDNSSubdomain(claimName, false)) {
    report.invalid(path, "name", volumeName, `PVC name ${goQuote(claimName)}: ${problem}`);
  }
}

/** Limit of name and portal together (bytes): the initiator's interface is named after them. */
const maxIscsiNameBytes = 64;

function validateIscsiName({ name, iscsi }: Volume, path: FieldPath, report: FieldReport): void {
  if (iscsi?.initiatorName === undefined) return;
  if (!isLongerThan(`${name}:${iscsi.targetPortal}`, maxIscsiNameBytes)) return;
  const detail =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
  report.invalid(path, "name", name, detail);
}
