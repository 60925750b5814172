import { createHash } from "node:crypto";

/**
 * Deals a hand of different cards from a deck, always the same for the same hash, so that two flows rarely share all of
 * their queues. Upstream: staging/src/k8s.io/apiserver/pkg/util/shufflesharding/shufflesharding.go.
 */
export function dealHand(hash: bigint, deckSize: number, handSize: number): number[] {
  const hand: number[] = [];
  let rest = hash;
  for (let dealt = 0; dealt < handSize; dealt++) {
    const left = BigInt(deckSize - dealt);
    let card = Number(rest % left);
    rest /= left;
    // The card is the n-th of those not dealt yet.
    for (const other of [...hand].sort((a, b) => a - b)) if (card >= other) card++;
    hand.push(card);
  }
  return hand;
}

/** The hash of a flow: the requests that a schema treats as one source. */
export function hashFlow(schema: string, distinguisher: string): bigint {
  const digest = createHash("sha256").update(`${schema}\0${distinguisher}`).digest();
  return digest.readBigUInt64LE(0);
}
