// Serves a GGUF model by OpenAI's chat completions on the loopback interface,
// with llama.cpp as the npm package node-llama-cpp ships it:
//   node serve.mjs MODEL.gguf
// It prints its port. One request is done at a time.
import http from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// The package lies where it was installed, not beside this file.
const require = createRequire(process.env.LLAMA_DIR + '/');
const { getLlama, LlamaChatSession } = await import(pathToFileURL(require.resolve('node-llama-cpp')));
const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error' });
const model = await llama.loadModel({ modelPath: process.argv[2] });
const context = await model.createContext({ contextSize: 4096, threads: 2 });
const sequence = context.getSequence();

let last = Promise.resolve();
const server = http.createServer((req, res) => {
  let body = '';
  req.on('data', (d) => (body += d));
  req.on('end', () => {
    last = last.then(() => answer(JSON.parse(body), res)).catch((e) => {
      console.error(String(e));
      res.destroy();
    });
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

async function answer(q, res) {
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  const [system, user] = q.messages;
  const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt: system.content, autoDisposeSequence: false });
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta, finish_reason) => res.write('data: ' + JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] }) + '\n\n');
  await session.prompt(user.content, {
    temperature: q.temperature ?? 0, maxTokens: 150, signal: gone.signal, stopOnAbortSignal: true,
    onTextChunk: (content) => send({ content }, null),
  });
  session.dispose({ disposeSequence: false });
  // Also where it was cut off: what is tried is whether the text is noticed.
  send({}, 'stop');
  res.end('data: [DONE]\n\n');
}
