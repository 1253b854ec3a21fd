-- What somebody does in Neovim with the recipe of docs/editor.md, in a project of two files; prints DONE at the end.

local function wait(what, test)
  if not vim.wait(30000, test, 50) then
    print('did not come: ' .. what)
    vim.cmd('cquit 1')
  end
end

local function codes()
  local found = vim.tbl_map(function(each) return each.code end, vim.diagnostic.get(0))
  table.sort(found)
  return table.concat(found, ' ')
end

vim.cmd.edit('worker.py')
wait('the finding', function() return codes() == 'RL104' end)
local finding = vim.diagnostic.get(0)[1]
assert(finding.lnum == 4 and finding.severity == vim.diagnostic.severity.ERROR)
local related = finding.user_data.lsp.relatedInformation[1]
assert(vim.fs.basename(vim.uri_to_fname(related.location.uri)) == 'db.py')

vim.api.nvim_win_set_cursor(0, { 5, 15 })
local client = vim.lsp.get_clients({ name = 'resplint' })[1]
local here = vim.lsp.util.make_position_params(0, client.offset_encoding)
local hover = client:request_sync('textDocument/hover', here, 30000, 0)
assert(hover.result.contents.value:find('RL104 blocking-timeout', 1, true))

vim.ui.select = function(actions, _, choose)
  for _, each in ipairs(actions) do
    if each.action.title:find('^Wait 4 s') then return choose(each) end
  end
end
vim.lsp.buf.code_action()
wait('the fix', function() return vim.api.nvim_buf_get_lines(0, 4, 5, false)[1]:find('timeout=4', 1, true) end)
wait('the end of the finding', function() return codes() == '' end)

vim.cmd('edit! worker.py')
wait('the finding again', function() return codes() == 'RL104' end)
vim.cmd.edit('db.py')
vim.api.nvim_buf_set_lines(0, 2, 3, false, { 'client = redis.Redis(socket_timeout=60)' })
vim.cmd.write()
vim.cmd.edit('worker.py')
wait('the change in another file', function() return codes() == '' end)
print('DONE')
vim.cmd('qall!')
