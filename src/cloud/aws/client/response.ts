import { asError } from "#/std/base/as-error.ts";
import { AwsError, type AwsErrorFacts } from "./aws-error.ts";
import type { Operation } from "./operation.ts";
import type { HttpResponse } from "./send.ts";
import { readShape, type Shape, struct, text, type Value } from "./shape.ts";
import { XmlReader } from "./xml-reader.ts";

/** The value of a successful response. Rejects one that is malformed. */
export function readResult<P, S extends Shape>(
  operation: Operation<P, S>,
  reply: HttpResponse,
): Value<S> {
  const { service, action, result } = operation;
  const item = service.protocol === "ec2" ? "item" : "member";
  try {
    const reader = new XmlReader(reply.body);
    return reader.readRoot(() => {
      if (service.protocol === "ec2") return readShape(reader, result, item);
      let found: Value<S> | undefined;
      reader.forEachChild((name) => {
        if (name === `${action}Result`) found = readShape(reader, result, item);
      });
      // Operations without a result answer with metadata alone.
      return found ?? emptyOf(result);
    });
  } catch (error) {
    const detail = `deserialization failed, failed to decode response body, ${asError(error).message}`;
    throw new AwsError({
      serviceId: service.id,
      action,
      statusCode: reply.status,
      requestId: requestIdOf(reply),
      code: "",
      detail,
      isModelled: false,
    });
  }
}

/** What a refusal says, in either form: Response/Errors/Error (EC2) and ErrorResponse/Error (the others). */
const refusal = struct({ Code: text, Message: text });

export function readFailure(
  operation: Operation<object, Shape>,
  reply: HttpResponse,
): AwsErrorFacts {
  const facts = { serviceId: operation.service.id, action: operation.action };
  const common = { ...facts, statusCode: reply.status };
  try {
    const { code, message, requestId } = readRefusal(reply.body);
    return {
      ...common,
      requestId: requestIdOf(reply) || requestId,
      code: code || "UnknownError",
      detail: message || code || "UnknownError",
      isModelled: operation.errors.includes(code),
    };
  } catch (error) {
    const step =
      operation.service.protocol === "ec2"
        ? "fetching xml error response code"
        : "deserializing xml error response";
    const detail = `error while ${step}: ${asError(error).message}`;
    return { ...common, requestId: requestIdOf(reply), code: "", detail, isModelled: false };
  }
}

function readRefusal(body: string) {
  let found: Value<typeof refusal> | undefined;
  let requestId = "";
  if (body.trim() !== "") {
    const reader = new XmlReader(body);
    const visit = (name: string): void => {
      if (name === "Errors") reader.forEachChild(visit);
      else if (name === "Error") found ??= readShape(reader, refusal, "item");
      else if (name.toLowerCase() === "requestid") requestId = reader.readText();
    };
    reader.readRoot(() => reader.forEachChild(visit));
  }
  return { code: found?.Code ?? "", message: found?.Message ?? "", requestId };
}

function requestIdOf({ headers }: HttpResponse): string {
  const value = headers["x-amzn-requestid"] ?? headers["x-amz-requestid"];
  return typeof value === "string" ? value : "";
}

/** The value of an empty element. */
function emptyOf<S extends Shape>(shape: S): Value<S> {
  const reader = new XmlReader("<Nothing/>");
  return reader.readRoot(() => readShape(reader, shape, ""));
}
