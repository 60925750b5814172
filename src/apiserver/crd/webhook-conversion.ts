import { randomUUID } from "node:crypto";
import type { ConversionReview, CustomResourceDefinition } from "#/api/apiextensions/v1.ts";
import { statusWithoutReason } from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { WebhookClient } from "../admission/webhook/webhook-client.ts";
import { openAnswer } from "../outgoing/read-answer.ts";
import type { ApiObject } from "../registry/strategy.ts";
import { readConverted } from "./converted-object.ts";
import type { Conversion } from "./custom-resource.ts";

/** Limit of the time of a webhook's call (ms). */
const timeoutSeconds = 30;

/**
 * Converts objects by a webhook.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
 */
export class WebhookConversion implements Conversion {
  readonly #client: WebhookClient;
  readonly #webhook: NonNullable<
    NonNullable<CustomResourceDefinition["spec"]["conversion"]>["webhook"]
  >;

  constructor(
    client: WebhookClient,
    webhook: NonNullable<NonNullable<CustomResourceDefinition["spec"]["conversion"]>["webhook"]>,
  ) {
    this.#client = client;
    this.#webhook = webhook;
  }

  /** Converts objects in one request, without those that are in the version already. */
  async convert(objects: readonly ApiObject[], apiVersion: string): Promise<ApiObject[]> {
    const others = objects.filter((object) => object.apiVersion !== apiVersion);
    if (others.length === 0) return [...objects];
    const converted = await this.#ask(others, apiVersion);
    const queue = converted.values();
    return objects.map((object) =>
      object.apiVersion === apiVersion ? object : (queue.next().value ?? object),
    );
  }

  async #ask(objects: readonly ApiObject[], apiVersion: string): Promise<ApiObject[]> {
    const failed = `conversion webhook for ${kindOf(objects)}`;
    const review = this.#request(objects, apiVersion);
    let results: readonly unknown[];
    try {
      const { clientConfig = {} } = this.#webhook;
      const answer = await this.#client.post(clientConfig, review, timeoutSeconds);
      results = this.#results(answer, review);
    } catch (error) {
      throw statusWithoutReason(`${failed} failed: ${(error as Error).message}`);
    }
    if (results.length !== objects.length) {
      throw statusWithoutReason(
        `${failed} returned ${results.length} objects, expected ${objects.length}`,
      );
    }
    return objects.map((original, index) => {
      try {
        return readConverted(original, results[index], apiVersion, index);
      } catch (error) {
        throw statusWithoutReason(`${failed} returned ${(error as Error).message}`);
      }
    });
  }

  #request(objects: readonly ApiObject[], desiredAPIVersion: string): ConversionReview {
    const known = this.#webhook.conversionReviewVersions.find((version) =>
      ["v1", "v1beta1"].includes(version),
    );
    if (known === undefined) throw statusWithoutReason("no supported conversion review versions");
    return {
      kind: "ConversionReview",
      apiVersion: `apiextensions.k8s.io/${known}`,
      request: {
        uid: randomUUID(),
        desiredAPIVersion,
        objects: objects.map((object) => deepCopy(object)) as unknown as never[],
      },
    };
  }

  #results(answer: Uint8Array, { apiVersion = "", request }: ConversionReview): readonly unknown[] {
    const review = decodeReview(answer);
    const isStrict = apiVersion.endsWith("/v1");
    if (isStrict && (review.apiVersion !== apiVersion || review.kind !== "ConversionReview")) {
      const got = kindText(review.apiVersion ?? "", review.kind ?? "");
      const expected = kindText(apiVersion, "ConversionReview");
      throw new Error(`expected webhook response of ${expected}, got ${got}`);
    }
    const { response } = review;
    if (!response) throw new Error("no response provided");
    if (isStrict && response.uid !== request?.uid) {
      throw new Error(
        `expected response.uid=${JSON.stringify(request?.uid)}, got ${JSON.stringify(response.uid ?? "")}`,
      );
    }
    const { status = "", message = "" } = response.result ?? {};
    if (status !== "Success") {
      throw new Error(message || `response.result.status was '${status}', not 'Success'`);
    }
    return response.convertedObjects ?? [];
  }
}

/** Decodes an answer; throws if it is no ConversionReview. Both versions have the same fields. */
function decodeReview(answer: Uint8Array): ConversionReview {
  const schema = findSchema("apiextensions.k8s.io", "v1", "ConversionReview");
  if (!schema) throw new Error("no schema for ConversionReview");
  return openAnswer(answer).decode<ConversionReview>(schema, false).value;
}

function kindOf([first]: readonly ApiObject[]): string {
  return kindText(first?.apiVersion ?? "", first?.kind ?? "");
}

function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
