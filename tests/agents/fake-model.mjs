// A model that does what the prompt says: scripted, streaming, without dependencies, on loopback only.
//
// The script travels inside the prompt:   words @@SCRIPT [turn, turn, …] @@END
//   turn = "text"                        a plain answer, which ends the agent's loop
//        | [call, call, …]               tool calls
//   call = {"t": NAME, "a": {arguments}} NAME may be "/regex/": the first offered tool whose name matches
// Nothing is remembered between requests: the turn served is the number of assistant turns behind the last prompt with a script, so
// retries, resumed conversations and several agents share one server. `@@NESTED … @@NEND` is a script for a sub-agent. Requests
// that offer no tools (titles) get "ok".
// APIs: Anthropic messages, OpenAI chat completions and responses, Gemini generateContent, each with streaming.
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
let logDir = ''
let n = 0, ids = 0;
const id = p => `${p}_${process.pid.toString(36)}${(++ids).toString().padStart(4, '0')}`;
const RE = /@@SCRIPT\s*([\s\S]*?)\s*@@END/g, NESTED = /@@NESTED\s*([\s\S]*?)\s*@@NEND/; // @@NESTED [...] @@NEND: a script for a sub-agent, inside the args of a call
function findScript(s) { let m, last = null; RE.lastIndex = 0; while ((m = RE.exec(s))) last = m[1]; if (!last) last = NESTED.exec(s)?.[1]; if (!last) return null; try { return JSON.parse(last); } catch (e) { return [`bad script: ${e.message}`]; } }
const textOf = c => typeof c === 'string' ? c : Array.isArray(c) ? c.map(p => p?.text ?? '').join('\n') : '';
// normalise a request to [{role:'user'|'assistant', text}] , tools [{name, kind, ns}]
function norm(api, b) {
  const msgs = [], tools = [];
  if (api === 'anthropic') {
    for (const m of b.messages || []) msgs.push({ role: m.role, text: textOf(m.content) });
    for (const t of b.tools || []) tools.push({ name: t.name });
  } else if (api === 'chat') {
    for (const m of b.messages || []) msgs.push({ role: m.role === 'assistant' ? 'assistant' : m.role === 'user' ? 'user' : 'other', text: textOf(m.content) });
    for (const t of b.tools || []) tools.push({ name: t.function?.name ?? t.name });
  } else if (api === 'responses') {
    const input = typeof b.input === 'string' ? [{ type: 'message', role: 'user', content: b.input }] : b.input || [];
    let inTurn = false;
    for (const it of input) {
      const model = ['function_call', 'custom_tool_call', 'local_shell_call', 'reasoning'].includes(it.type) || it.role === 'assistant';
      if (model) { if (!inTurn) msgs.push({ role: 'assistant', text: '' }); inTurn = true; continue; }
      inTurn = false;
      if (it.role === 'user') msgs.push({ role: 'user', text: textOf(it.content) });
    }
    for (const t of b.tools || []) {
      if (t.type === 'namespace') for (const u of t.tools || []) tools.push({ name: u.name, ns: t.name, kind: u.type });
      else tools.push({ name: t.name ?? t.type, kind: t.type });
    }
  } else if (api === 'gemini') {
    for (const m of b.contents || []) msgs.push({ role: m.role === 'model' ? 'assistant' : 'user', text: textOf(m.parts) });
    for (const t of b.tools || []) for (const f of t.functionDeclarations || []) tools.push({ name: f.name });
  }
  return { msgs, tools };
}
function plan(api, b) {
  const { msgs, tools } = norm(api, b);
  if (!tools.length) return { text: 'ok', calls: [], tools, note: 'no tools offered' };
  let script = null, at = -1;
  for (let i = msgs.length - 1; i >= 0; i--) if (msgs[i].role === 'user') { const s = findScript(msgs[i].text); if (s) { script = s; at = i; break; } }
    if (!script) return { text: 'ok (no script)', calls: [], tools, note: 'no script' };
  const k = msgs.slice(at + 1).filter(m => m.role === 'assistant').length;
  let t = k < script.length ? script[k] : `script over (turn ${k})`;
  if (typeof t === 'string') t = { text: t, calls: [] };
  if (Array.isArray(t)) t = { text: '', calls: t };
  const calls = (t.calls || []).map(c => {
    let name = c.t, tool;
    const m = /^\/(.*)\/$/.exec(name);
    tool = m ? tools.find(x => new RegExp(m[1]).test((x.ns ? x.ns + (x.ns.endsWith('__') ? '' : '__') : '') + x.name)) : tools.find(x => x.name === name);
    return { name: tool?.name ?? name, ns: tool?.ns ?? c.ns, kind: c.kind ?? tool?.kind, args: c.a ?? {} };
  });
  return { text: t.text || '', calls, tools, turn: k };
}
const sse = (res, ev, data) => res.write((ev ? `event: ${ev}\n` : '') + `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
const H = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
const json = (res, o, c = 200) => { res.writeHead(c, { 'content-type': 'application/json' }); res.end(JSON.stringify(o)); };
function anthropic(b, p, res) {
  const mid = id('msg'), blocks = [];
  if (p.text) blocks.push({ type: 'text', text: p.text });
  for (const c of p.calls) blocks.push({ type: 'tool_use', id: id('toolu'), name: c.name, input: c.args });
  const stop = p.calls.length ? 'tool_use' : 'end_turn', usage = { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const msg = { id: mid, type: 'message', role: 'assistant', model: b.model, content: blocks, stop_reason: stop, stop_sequence: null, usage };
  if (!b.stream) return json(res, msg);
  res.writeHead(200, { ...H, 'request-id': id('req') });
  sse(res, 'message_start', { type: 'message_start', message: { ...msg, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } });
  blocks.forEach((bl, index) => {
    sse(res, 'content_block_start', { type: 'content_block_start', index, content_block: bl.type === 'text' ? { type: 'text', text: '' } : { ...bl, input: {} } });
    sse(res, 'content_block_delta', { type: 'content_block_delta', index, delta: bl.type === 'text' ? { type: 'text_delta', text: bl.text } : { type: 'input_json_delta', partial_json: JSON.stringify(bl.input) } });
    sse(res, 'content_block_stop', { type: 'content_block_stop', index });
  });
  sse(res, 'message_delta', { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 20 } });
  sse(res, 'message_stop', { type: 'message_stop' }); res.end();
}
function chat(b, p, res) {
  const cid = id('chatcmpl'), base = { id: cid, created: Math.floor(Date.now() / 1000), model: b.model };
  const tool_calls = p.calls.map((c, index) => ({ index, id: id('call'), type: 'function', function: { name: c.name, arguments: JSON.stringify(c.args) } }));
  const fin = tool_calls.length ? 'tool_calls' : 'stop', usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  if (!b.stream) return json(res, { ...base, object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: p.text || null, ...(tool_calls.length ? { tool_calls } : {}) }, finish_reason: fin }], usage });
  res.writeHead(200, H);
  const ch = (delta, finish_reason = null) => sse(res, null, { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  ch({ role: 'assistant', content: p.text || '' });
  for (const t of tool_calls) { ch({ tool_calls: [{ ...t, function: { name: t.function.name, arguments: '' } }] }); ch({ tool_calls: [{ index: t.index, function: { arguments: t.function.arguments } }] }); }
  ch({}, fin);
  sse(res, null, { ...base, object: 'chat.completion.chunk', choices: [], usage });
  sse(res, null, '[DONE]'); res.end();
}
function responses(b, p, res) {
  const rid = id('resp'), out = [];
  if (p.text) out.push({ type: 'message', id: id('msg'), role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: p.text, annotations: [] }] });
  for (const c of p.calls) out.push(c.kind === 'custom'
    ? { type: 'custom_tool_call', id: id('ctc'), call_id: id('call'), name: c.name, ...(c.ns ? { namespace: c.ns } : {}), input: typeof c.args === 'string' ? c.args : c.args.input, status: 'completed' }
    : { type: 'function_call', id: id('fc'), call_id: id('call'), name: c.name, ...(c.ns ? { namespace: c.ns } : {}), arguments: JSON.stringify(c.args), status: 'completed' });
  const usage = { input_tokens: 100, input_tokens_details: { cached_tokens: 0 }, output_tokens: 20, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 120 };
  const resp = { id: rid, object: 'response', created_at: Math.floor(Date.now() / 1000), status: 'completed', model: b.model, output: out, usage, parallel_tool_calls: true, error: null };
  if (!b.stream) return json(res, resp);
  res.writeHead(200, H); let q = 0;
  const ev = (type, o) => sse(res, type, { type, sequence_number: q++, ...o });
  ev('response.created', { response: { ...resp, status: 'in_progress', output: [], usage: null } });
  out.forEach((item, output_index) => {
    ev('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', ...(item.content ? { content: [] } : {}) } });
    if (item.type === 'message') ev('response.output_text.delta', { output_index, content_index: 0, item_id: item.id, delta: item.content[0].text });
    if (item.type === 'function_call') { ev('response.function_call_arguments.delta', { output_index, item_id: item.id, delta: item.arguments }); ev('response.function_call_arguments.done', { output_index, item_id: item.id, arguments: item.arguments }); }
    ev('response.output_item.done', { output_index, item });
  });
  ev('response.completed', { response: resp }); res.end();
}
function gemini(b, p, res, stream) {
  const parts = []; if (p.text) parts.push({ text: p.text });
  for (const c of p.calls) parts.push({ functionCall: { name: c.name, args: c.args, id: id('fc') } });
  const o = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }], usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 }, modelVersion: 'fake', responseId: id('g') };
  if (!stream) return json(res, o);
  res.writeHead(200, H); sse(res, null, o); res.end();
}
const SECRET = /^(authorization|x-api-key|x-goog-api-key|api-key)$/i;
const server = http.createServer((req, res) => {
  let body = ''; req.setEncoding('utf8'); req.on('data', d => body += d);
  req.on('end', () => {
    const url = new URL(req.url, 'http://x'), P = url.pathname; let b = {}; try { b = JSON.parse(body || '{}'); } catch { }
    const headers = Object.fromEntries(Object.entries(req.headers).map(([k, v]) => [k, SECRET.test(k) ? '(dummy key)' : v]));
    const rec = { n: ++n, at: new Date().toISOString(), method: req.method, url: req.url.replace(/key=[^&]*/, 'key=(dummy)'), headers, body: body.length ? b : undefined };
    const done = (api, p) => { rec.api = api; if (p) rec.served = { turn: p.turn, note: p.note, text: p.text, calls: p.calls, offered: p.tools.map(t => (t.ns ? t.ns + ' :: ' : '') + t.name) }; fs.writeFileSync(path.join(logDir, `${String(n).padStart(3, '0')}-${api}.json`), JSON.stringify(rec, null, 1)); };
    let m;
    if (req.method === 'POST' && P.endsWith('/messages/count_tokens')) { done('count'); return json(res, { input_tokens: 100 }); }
    if (req.method === 'POST' && P.endsWith('/messages')) { const p = plan('anthropic', b); done('anthropic', p); return anthropic(b, p, res); }
    if (req.method === 'POST' && P.endsWith('/chat/completions')) { const p = plan('chat', b); done('chat', p); return chat(b, p, res); }
    if (req.method === 'POST' && P.endsWith('/responses')) { const p = plan('responses', b); done('responses', p); return responses(b, p, res); }
    if (req.method === 'POST' && (m = /:(generateContent|streamGenerateContent)$/.exec(P))) { const p = plan('gemini', b); done('gemini', p); return gemini(b, p, res, m[1] === 'streamGenerateContent'); }
    if (req.method === 'POST' && P.endsWith(':countTokens')) { done('count'); return json(res, { totalTokens: 100 }); }
    if (P.endsWith('/models')) { done('models'); return json(res, { object: 'list', data: [{ id: 'fake-model', object: 'model', created: 1, owned_by: 'fake', type: 'model', display_name: 'fake' }], models: [] }); }
    done('other'); json(res, { error: { type: 'not_found', message: 'fake server: no such route' } }, 404);
  });
});

/** Starts the server on a loopback port; every request is kept in `folder` as a file of its own, keys left out. */
export async function startFakeModel(port, folder) {
  logDir = folder
  fs.mkdirSync(folder, { recursive: true })
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return () => {
    server.closeAllConnections()
    server.close()
  }
}
