import type { EncryptionMetrics } from "./encryption-metrics.ts";
import type { Transformer } from "./transformer.ts";

/** The same transformer, counted and timed by the resource of a key. */
export function measuredTransformer(
  transformer: Transformer,
  metrics: EncryptionMetrics,
  resourceOf: (key: string) => string,
): Transformer & Disposable {
  const prefix = transformer.prefix.toString();
  const { isStale, health } = transformer;
  return {
    prefix: transformer.prefix,
    encrypt: (value, key) =>
      metrics.transformed({ resource: resourceOf(key), direction: "to_storage", prefix }, () =>
        transformer.encrypt(value, key),
      ),
    decrypt: (value, key) =>
      metrics.transformed({ resource: resourceOf(key), direction: "from_storage", prefix }, () =>
        transformer.decrypt(value, key),
      ),
    ...(isStale ? { isStale: isStale.bind(transformer) } : {}),
    ...(health ? { health: health.bind(transformer) } : {}),
    [Symbol.dispose]: () => (transformer as Partial<Disposable>)[Symbol.dispose]?.(),
  };
}
