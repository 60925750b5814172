import { clusterTrustBundles } from "#/api/certificates/v1.ts";
import {
  type ClusterTrustBundle,
  clusterTrustBundles as clusterTrustBundlesBeta,
} from "#/api/certificates/v1beta1.ts";
import { type FieldError, invalid, tooLong } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { type Certificate, readCertificate } from "#/std/x509/certificate.ts";
import { type PemBlock, readPemBlocks } from "#/std/x509/pem.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import {
  bundleNameProblems,
  validateSignerName,
} from "../core/pod-spec/volumes/projected-certificates.ts";
import { nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";

type Bundle = Decoded<ClusterTrustBundle>;

const specPath = fieldPath("spec");
const bundlePath = specPath.child("trustBundle");
const maxBundleBytes = 1024 * 1024;

/**
 * Upstream: pkg/registry/certificates/clustertrustbundle/strategy.go,
 * pkg/apis/certificates/validation/validation.go.
 */
export const clusterTrustBundle = serve(clusterTrustBundlesBeta, {
  versions: [{ handle: clusterTrustBundles }],
  allowUnconditionalUpdate: false,
  validate: (object) => validateBundle(object, true),
  validateUpdate: (object, old) => [
    ...validateBundle(object, object.spec.trustBundle !== old.spec.trustBundle),
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...((object.spec.signerName ?? "") === (old.spec.signerName ?? "")
      ? []
      : [invalid(specPath.child("signerName"), object.spec.signerName ?? "", immutableMessage)]),
  ],
  selectableFields: { "spec.signerName": ({ spec }) => spec.signerName ?? "" },
  unknownFieldMessage: (field) => `field label not supported: ${field}`,
  columns: [
    nameColumn,
    { name: "SignerName", type: "string", cell: ({ spec }) => spec.signerName || "<none>" },
  ],
});

function validateBundle({ metadata, spec }: Bundle, readsAnchors: boolean): FieldError[] {
  const { signerName = "", trustBundle } = spec;
  const report = new FieldReport();
  report.add(validateClusterMeta(metadata, (name) => bundleNameProblems(name, signerName)));
  if (signerName !== "") validateSignerName(report, specPath, "signerName", signerName);
  if (readsAnchors) report.add(validateAnchors(trustBundle ?? ""));
  return report.errors;
}

function validateAnchors(text: string): FieldError[] {
  if (isLongerThan(text, maxBundleBytes)) return [tooLong(bundlePath, maxBundleBytes)];
  const places = new Map<string, number[]>();
  const errors: FieldError[] = [];
  const refuse = (detail: string) => errors.push(invalid(bundlePath, "<value omitted>", detail));
  for (const [index, block] of readPemBlocks(text).entries()) {
    const problem = anchorProblem(block);
    if (problem !== undefined) refuse(`entry ${index} ${problem}`);
    const bytes = block.der.toString("latin1");
    places.set(bytes, [...(places.get(bytes) ?? []), index]);
  }
  if (errors.length > 0) return errors;
  if (places.size === 0) refuse("at least one trust anchor must be provided");
  for (const indices of places.values()) {
    if (indices.length > 1) refuse(`duplicate trust anchor (indices [${indices.join(" ")}])`);
  }
  return errors;
}

function anchorProblem({ type, hasHeaders, der }: PemBlock): string | undefined {
  if (type !== "CERTIFICATE") return `has bad block type: ${type}`;
  if (hasHeaders) return "has PEM block headers";
  let certificate: Certificate;
  try {
    certificate = readCertificate(der);
  } catch {
    return "does not parse as X.509";
  }
  return certificate.isAuthority ? undefined : "does not have the CA bit set";
}
