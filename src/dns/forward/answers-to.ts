import { MessageError, readQuestion } from "../wire/query.ts";

/** No response, or none that matches the question. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
}

/** Whether a message is a response to a request. */
export function answersTo(reply: Buffer, request: Buffer): boolean {
  if (reply.length < 12 || reply.readUInt16BE(0) !== request.readUInt16BE(0)) return false;
  if ((reply.readUInt16BE(2) & 0x8000) === 0) return false;
  try {
    const [asked, answered] = [readQuestion(request), readQuestion(reply)];
    const same = asked.name.toLowerCase() === answered.name.toLowerCase();
    return same && asked.type === answered.type;
  } catch (error) {
    if (error instanceof MessageError) return false;
    throw error;
  }
}
