import { type LeaseSpec, leases } from "#/api/coordination/v1.ts";
import { type FieldError, forbidden, invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "#/machinery/meta/object-meta.ts";
import { append } from "#/std/base/append.ts";
import { type RequestContext, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { validateLeaseStrategy } from "./lease-strategy.ts";

const metadataPath = fieldPath("metadata");
const specPath = fieldPath("spec");

/** Upstream: pkg/registry/coordination/lease/strategy.go, pkg/apis/coordination/validation/validation.go. */
export const lease = serve(leases, {
  isUnrecorded: true,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate({ spec }, context) {
    dropDisabled(spec, undefined, context);
  },
  prepareForUpdate({ spec }, old, context) {
    dropDisabled(spec, old.spec, context);
  },
  validate: ({ metadata, spec }) => {
    const errors = validateObjectMeta(
      metadata,
      { namespaced: true, name: nameIsDNSSubdomain },
      metadataPath,
    );
    validateSpec(spec, errors);
    return errors;
  },
  validateUpdate: ({ metadata, spec }, old) => {
    const errors = validateObjectMetaUpdate(metadata, old.metadata, metadataPath);
    validateSpec(spec, errors);
    return errors;
  },
  columns: [
    nameColumn,
    { name: "Holder", type: "string", cell: ({ spec }) => spec.holderIdentity ?? "" },
    ageColumn,
  ],
});

function dropDisabled(spec: LeaseSpec, old: LeaseSpec | undefined, context: RequestContext): void {
  if (context.enabled("CoordinatedLeaderElection")) return;
  if (old?.strategy === undefined) delete spec.strategy;
  if (old?.preferredHolder === undefined) delete spec.preferredHolder;
}

function validateSpec(spec: LeaseSpec, errors: FieldError[]): void {
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder } = spec;
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    const path = specPath.child("leaseDurationSeconds");
    errors.push(invalid(path, leaseDurationSeconds, "must be greater than 0"));
  }
  if (leaseTransitions !== undefined && leaseTransitions < 0) {
    const path = specPath.child("leaseTransitions");
    errors.push(invalid(path, leaseTransitions, "must be greater than or equal to 0"));
  }
  if (strategy !== undefined)
    append(errors, validateLeaseStrategy(strategy, specPath.child("strategy")));
  if (preferredHolder && !strategy) {
    const path = specPath.child("preferredHolder");
    errors.push(forbidden(path, "may only be specified if `strategy` is defined"));
  }
}
