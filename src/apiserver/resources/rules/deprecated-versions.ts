import type { Resource } from "#/api/base/resource.ts";
import { table } from "#/std/base/table.ts";
import type { Declaration } from "../../registry/strategy.ts";

/** Minor versions of v1 in which a version is deprecated and removed, and whether v1 replaces it. */
interface Deprecation {
  readonly since: number;
  readonly until: number;
  readonly replaced?: boolean;
}

const old: Deprecation = { since: 35, until: 38 };
const older: Deprecation = { since: 36, until: 39 };
const replaced: Deprecation = { since: 37, until: 40, replaced: true };

/** Upstream: zz_generated.prerelease-lifecycle.go in the folders of staging/src/k8s.io/api. */
const deprecations: Readonly<Record<string, Deprecation>> = table({
  "admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy": old,
  "admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicyBinding": old,
  "admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy": replaced,
  "admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicyBinding": replaced,
  "certificates.k8s.io/v1beta1 ClusterTrustBundle": replaced,
  "certificates.k8s.io/v1beta1 PodCertificateRequest": replaced,
  "coordination.k8s.io/v1alpha2 LeaseCandidate": old,
  "coordination.k8s.io/v1beta1 LeaseCandidate": older,
  "resource.k8s.io/v1alpha3 DeviceTaintRule": older,
  "resource.k8s.io/v1beta1 DeviceClass": old,
  "resource.k8s.io/v1beta1 ResourceClaim": old,
  "resource.k8s.io/v1beta1 ResourceClaimTemplate": old,
  "resource.k8s.io/v1beta1 ResourceSlice": old,
  "resource.k8s.io/v1beta2 DeviceClass": older,
  "resource.k8s.io/v1beta2 ResourceClaim": older,
  "resource.k8s.io/v1beta2 ResourceClaimTemplate": older,
  "resource.k8s.io/v1beta2 ResourceSlice": older,
  "storagemigration.k8s.io/v1beta1 StorageVersionMigration": replaced,
});

/** A declaration with the deprecations of its versions. */
export function withDeprecations(declaration: Declaration): Declaration {
  const versions = declaration.versions.map((version) => {
    const deprecation = version.deprecation ?? deprecationOf(version.handle);
    return deprecation === undefined ? version : { ...version, deprecation };
  });
  return { ...declaration, versions };
}

function deprecationOf({ group, version, kind }: Resource): string | undefined {
  const name = `${group}/${version} ${kind}`;
  const found = deprecations[name];
  if (!found) return undefined;
  const advice = found.replaced ? `; use ${group}/v1 ${kind}` : "";
  return `${name} is deprecated in v1.${found.since}+, unavailable in v1.${found.until}+${advice}`;
}
