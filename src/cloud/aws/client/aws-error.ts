/** What AWS answered to a refused call, or why there was no answer (then statusCode is 0 and code empty). */
export interface AwsErrorFacts {
  /** "EC2". */
  readonly serviceId: string;
  /** "DescribeInstances". */
  readonly action: string;
  readonly statusCode: number;
  readonly requestId: string;
  /** "InvalidInstanceID.NotFound"; empty if AWS did not answer. */
  readonly code: string;
  /** The service's own words, or those of the connection. */
  readonly detail: string;
  /** Whether the SDK has a type for this code: it prints such errors without "api error". */
  readonly isModelled: boolean;
  /** Set if the call was repeated up to the limit of attempts. */
  readonly exhaustedAttempts?: number;
  /** Whether the machine's clock seems to be wrong. */
  readonly isClockSkew?: boolean;
}

/** A failed call. Its message is the text that upstream's SDK prints, which reaches events and conditions. */
export class AwsError extends Error {
  override readonly name = "AwsError";
  readonly facts: AwsErrorFacts;

  constructor(facts: AwsErrorFacts) {
    super(printError(facts));
    this.facts = facts;
  }

  get code(): string {
    return this.facts.code;
  }

  /** The service's message alone. */
  get detail(): string {
    return this.facts.detail;
  }

  get requestId(): string {
    return this.facts.requestId;
  }

  get statusCode(): number {
    return this.facts.statusCode;
  }
}

/** Whether a call failed with this code. */
export function hasCode(error: unknown, ...codes: readonly string[]): error is AwsError {
  return error instanceof AwsError && codes.includes(error.code);
}

function printError(facts: AwsErrorFacts): string {
  const api = facts.isModelled ? `${facts.code}: ` : `api error ${facts.code}: `;
  return [
    `operation error ${facts.serviceId}: ${facts.action}, `,
    facts.exhaustedAttempts === undefined
      ? ""
      : `exceeded maximum number of attempts, ${facts.exhaustedAttempts}, `,
    facts.isClockSkew ? "Probable clock skew error: " : "",
    `https response error StatusCode: ${facts.statusCode}, RequestID: ${facts.requestId}, `,
    facts.code === "" ? "" : api,
    facts.detail,
  ].join("");
}
