import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
} from "#/api/admissionregistration/v1.ts";
import { boolType, nullType, stringType } from "#/machinery/cel/type/cel-type.ts";
import { duplicate, type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { isQualifiedName } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";
import type { Steps } from "#/std/base/steps.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { PolicyExpressions } from "./policy-expressions.ts";
import { validatePolicyStart, validateVariables } from "./policy-validation.ts";
import { unsupported } from "./rule-validation.ts";

type Policy = Decoded<ValidatingAdmissionPolicy>;

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const maxAnnotations = 20;
const maxValueExpressionBytes = 5 * 1024;
const path = fieldPath("spec");

/** Expressions of the old object, by the field that has them. */
interface OldExpressions {
  readonly validations: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
  readonly annotations: ReadonlySet<string>;
}

/** Validation errors of the spec of a policy. Upstream: pkg/apis/admissionregistration/validation/validation.go. */
export function* validateValidatingPolicy(
  { metadata, spec = {} }: Policy,
  old?: Policy,
): Steps<FieldError[]> {
  const before = oldExpressions(old?.spec);
  const { validations = [], auditAnnotations = [], paramKind, variables = [] } = spec;
  const errors = [
    ...(yield* validatePolicyStart(spec, old?.spec)),
    ...(yield* validateVariables(spec, before.validations)),
  ];
  if (validations.length + auditAnnotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    return [
      ...errors,
      required(path.child("validations"), detail),
      required(path.child("auditAnnotations"), detail),
    ];
  }
  const options = variables.length > 0 ? { paramKind, variables } : { paramKind };
  const expressions = new PolicyExpressions(options);
  for (const [index, validation] of validations.entries()) {
    const at = path.child("validations").index(index);
    append(errors, yield* validateValidation(validation, at, expressions, before));
  }
  const name = metadata.name ?? "";
  append(errors, yield* validateAnnotations(name, auditAnnotations, expressions, before));
  return errors;
}

function oldExpressions(spec: ValidatingAdmissionPolicySpec = {}): OldExpressions {
  const { validations = [], auditAnnotations = [] } = spec;
  return {
    validations: new Set(validations.map(({ expression }) => expression)),
    messages: new Set(validations.map(({ messageExpression = "" }) => messageExpression)),
    annotations: new Set(auditAnnotations.map(({ valueExpression }) => valueExpression)),
  };
}

function* validateValidation(
  { expression = "", message = "", messageExpression = "", reason }: Validation,
  at: FieldPath,
  expressions: PolicyExpressions,
  old: OldExpressions,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  if (expression.trim() === "") {
    errors.push(required(at.child("expression"), "expression is not specified"));
  } else {
    const isOld = old.validations.has(expression);
    const place = { path: at.child("expression"), types: [boolType], isOld };
    append(errors, yield* expressions.check(expression, place));
  }
  const messagePath = at.child("messageExpression");
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(invalid(messagePath, messageExpression, "must be non-empty if specified"));
  } else if (messageExpression !== "") {
    const isOld = old.messages.has(messageExpression);
    const place = { path: messagePath, types: [stringType], isOld, authorizer: false };
    append(errors, yield* expressions.check(messageExpression, place));
  }
  if (message !== "" && message.trim() === "") {
    errors.push(invalid(at.child("message"), message, "must be non-empty if specified"));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalid(at.child("message"), message, "must not contain line breaks"));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(unsupported(at.child("reason"), reason, reasons));
  }
  return errors;
}

function* validateAnnotations(
  policyName: string,
  annotations: readonly AuditAnnotation[],
  expressions: PolicyExpressions,
  old: OldExpressions,
): Steps<FieldError[]> {
  const list = path.child("auditAnnotations");
  const errors: FieldError[] = [];
  if (annotations.length > maxAnnotations) {
    const shown = annotations.map(({ key, valueExpression }) => ({
      Key: key,
      ValueExpression: valueExpression,
    }));
    errors.push(invalid(list, shown, `must not have more than ${maxAnnotations} auditAnnotations`));
  }
  const keys = new Set<string>();
  for (const [index, annotation] of annotations.entries()) {
    const at = list.index(index);
    const { key } = annotation;
    append(errors, validateKey(policyName, key, at.child("key")));
    append(errors, yield* validateValue(annotation, at.child("valueExpression"), expressions, old));
    if (keys.has(key)) errors.push(duplicate(at.child("key"), key));
    keys.add(key);
  }
  return errors;
}

function validateKey(policyName: string, key: string, at: FieldPath): FieldError[] {
  if (policyName === "") return [invalid(at, key, "requires metadata.name be non-empty")];
  const name = `${policyName}/${key}`;
  return isQualifiedName(name).map((problem) => invalid(at, name, problem));
}

function* validateValue(
  { valueExpression }: AuditAnnotation,
  at: FieldPath,
  expressions: PolicyExpressions,
  old: OldExpressions,
): Steps<FieldError[]> {
  const trimmed = valueExpression.trim();
  if (trimmed === "") return [required(at, "valueExpression is not specified")];
  if (Buffer.byteLength(trimmed) > maxValueExpressionBytes) {
    return [required(at, `must not exceed ${maxValueExpressionBytes} bytes in length`)];
  }
  const isOld = old.annotations.has(valueExpression);
  const types = [stringType, nullType];
  const errors = yield* expressions.check(trimmed, { path: at, types, isOld });
  return errors.map((error) =>
    error.type === "InternalError" ? error : { ...error, value: valueExpression },
  );
}
