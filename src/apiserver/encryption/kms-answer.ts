import { formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { validateFullyQualifiedDomainName } from "#/machinery/meta/text-rules.ts";

/**
 * What a KMS plugin may answer. A value that is stored with a wrong answer could never be decrypted.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/storage/value/encrypt/envelope/kmsv2/envelope.go.
 */

/** Limits of an answer (bytes), as upstream. */
const maxEncryptedSeedBytes = 1024;
const maxKeyIdBytes = 1024;
const maxAnnotationsBytes = 32 * 1024;
/** Bytes of a seed. A plugin may have been given a longer one by another server. */
export const seedBytes = 32;
const maxSeedBytes = 1024;

interface EncryptAnswer {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: Readonly<Record<string, Uint8Array>>;
}

/** Throws if the plugin's encrypted seed cannot be stored. */
export function checkEncryptAnswer({ ciphertext, keyId, annotations }: EncryptAnswer): void {
  const what = "encrypted DEK source";
  if (ciphertext.length === 0) {
    throw new Error(`failed to validate ${what}: ${what} is empty`);
  }
  if (ciphertext.length > maxEncryptedSeedBytes) {
    throw new Error(
      `failed to validate ${what}: ${what} is ${exceeded(ciphertext.length, maxEncryptedSeedBytes)}`,
    );
  }
  const problem = keyIdProblem(keyId);
  if (problem !== undefined) throw new Error(`failed to validate key id: ${problem}`);
  checkAnnotations(annotations);
}

/** Why a key id is invalid; undefined if it is valid. */
export function keyIdProblem(keyId: string): string | undefined {
  if (keyId === "") return "keyID is empty";
  const bytes = Buffer.byteLength(keyId);
  return bytes > maxKeyIdBytes ? `keyID is ${exceeded(bytes, maxKeyIdBytes)}` : undefined;
}

/** Throws if a decrypted seed cannot be one. */
export function checkSeed({ length }: Uint8Array): void {
  if (length >= seedBytes && length <= maxSeedBytes) return;
  throw new Error(`invalid seed length ${length} used for key generation`);
}

const exceeded = (bytes: number, max: number): string =>
  `${bytes} bytes, which exceeds the max size of ${max}`;

function checkAnnotations(annotations: EncryptAnswer["annotations"]): void {
  const entries = Object.entries(annotations);
  const path = fieldPath("annotations");
  const errors = entries.flatMap(([key]) => validateFullyQualifiedDomainName(path, key));
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + value.length,
    0,
  );
  const problems = [
    ...(errors.length > 0 ? [formatFieldErrors(errors)] : []),
    ...(bytes > maxAnnotationsBytes
      ? [
          `total size of annotations is ${bytes}, which exceeds the max size of ${maxAnnotationsBytes}`,
        ]
      : []),
  ];
  if (problems.length > 0) {
    throw new Error(`failed to validate annotations: ${problems.join(", ")}`);
  }
}
