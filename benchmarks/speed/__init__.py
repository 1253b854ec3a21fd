"""How fast resplint is, next to other tools: `make bench`.

It fetches real packages (`benchmarks/corpus.toml`), installs the other tools into an environment of their own, checks
that every rule of theirs finds what it is for and that all tools look at the same files, times whole processes side by
side in rounds, and writes `benchmarks/results.json`, `RESULTS.md` and the plots. To try a change on one group only:

    make bench ONLY=dense-python ROUNDS=3

prints the tables and writes nothing into the repository. `ONLY` takes groups (`sparse-java`, `dense-node`,
`all`, …), `hook` and `growth`, separated by commas; `QUICK=1` takes everything once, with smaller trees.

    make bench TREES=DIR

measures whole application repositories, those of `benchmarks/trees.toml`, of which DIR holds checkouts named
owner+name: scans next to other tools, an edit in a hook and in the language server, and memory on large generated
trees. Other parts of the results stay as they are. `ONLY=trees` and `ONLY=memory` are its parts.
"""
