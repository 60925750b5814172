/**
 * node:http. An import as a module makes Node load its WebSocket client too, which is not used here
 * and takes longer than the rest.
 */
export const { Agent, createServer, request, ServerResponse } =
  process.getBuiltinModule("node:http");
