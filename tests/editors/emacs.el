;;; What somebody does in Emacs with the recipes of docs/editor.md, in a small project.  -*- lexical-binding: t -*-

;; Each function is one test: it prints DONE at the end.  What does not come in time ends Emacs with an error.

(require 'cl-lib)
(require 'eglot)
(require 'flymake)

(defconst tried-seconds 30)

(defun tried-wait (what test)
  "Wait until TEST holds, as the command loop of an Emacs with a window does; WHAT names it."
  (let ((end (+ (float-time) tried-seconds)))
    (while (not (funcall test))
      (when (> (float-time) end)
        (message "did not come: %s; there are %S" what (tried-findings))
        (kill-emacs 1))
      (run-hooks 'post-command-hook)
      (run-window-configuration-change-hook) ; which Emacs does on drawing
      (accept-process-output nil 0.1))))

(defun tried-findings ()
  "The findings that Flymake shows in this buffer: line, type, and the text's first sentence."
  (mapcar (lambda (each)
            (list (line-number-at-pos (flymake-diagnostic-beg each))
                  (flymake-diagnostic-type each)
                  (replace-regexp-in-string "\\`.*?: \\|, but .*\\(\n.*\\)*\\|\n.*" "" (flymake-diagnostic-text each))))
          (sort (flymake-diagnostics)
                (lambda (one other) (< (flymake-diagnostic-beg one) (flymake-diagnostic-beg other))))))

(defun tried-lines ()
  "The lines that have findings, with their types."
  (mapcar (lambda (each) (list (nth 0 each) (nth 1 each))) (tried-findings)))

(defun tried-open (file)
  "Visit FILE and start the server, as M-x eglot does."
  (switch-to-buffer (find-file-noselect file))
  (call-interactively #'eglot)
  (tried-wait "the server" #'eglot-managed-p))

(defun tried-line (number)
  "Go to the beginning of the text of a line."
  (goto-char (point-min))
  (forward-line (1- number))
  (back-to-indentation))

(defun tried-replace (old new)
  "Replace OLD by NEW in this buffer and save it."
  (goto-char (point-min))
  (search-forward old)
  (replace-match new t t)
  (save-buffer))

(defun tried-recipe ()
  "Findings, hover, a fix, and a change in another file."
  (tried-open "worker.py")
  (tried-wait "the findings" (lambda () (equal (tried-lines) '((5 eglot-error) (9 eglot-note)))))
  (let ((text (flymake-diagnostic-text (car (flymake-diagnostics (progn (tried-line 5) (search-forward "blpop") (point)))))))
    (unless (string-match-p "BLPOP waits up to 30 s, but `socket_timeout` is 5 s (set in db.py:3)" text)
      (error "another text: %s" text)))

  (let (shown)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq shown text)))
    (tried-wait "the page of the rule" (lambda () (and shown (string-match-p "RL104 blocking-timeout" shown)))))

  (cl-letf (((symbol-function 'completing-read)
             (lambda (_prompt titles &rest _)
               (or (car (cl-find-if (lambda (each) (string-prefix-p "Wait 4 s" (car each))) titles))
                   (error "no fix among %S" (mapcar #'car titles)))))
            ((symbol-function 'y-or-n-p) #'always)
            (last-nonmenu-event ?a))
    (call-interactively #'eglot-code-actions))
  (tried-wait "the fix" (lambda () (string-match-p "timeout=4)" (buffer-string))))
  (save-buffer)
  (tried-wait "the end of the finding" (lambda () (equal (tried-lines) '((9 eglot-note)))))

  (tried-replace "timeout=4" "timeout=30")
  (tried-wait "the finding again" (lambda () (equal (tried-lines) '((5 eglot-error) (9 eglot-note)))))
  (find-file "db.py")
  (tried-wait "the server for the other file" #'eglot-managed-p)
  (tried-replace "socket_timeout=5" "socket_timeout=60")
  (switch-to-buffer "worker.py")
  (tried-wait "the change in another file" (lambda () (equal (tried-lines) '((9 eglot-note)))))

  (find-file "sessions.js")
  (tried-wait "a finding in a language that the recipe names too" (lambda () (equal (tried-lines) '((6 eglot-warning)))))
  (message "DONE"))

(defun tried-options ()
  "Findings from the level up that an option of the recipe names."
  (tried-open "worker.py")
  (tried-wait "the error" #'tried-lines)
  (unless (equal (tried-lines) '((5 eglot-error)))
    (error "not what was asked for: %S" (tried-findings)))
  (message "DONE"))

(defun tried-multiplexer ()
  "Findings of two other servers beside those of resplint."
  (tried-open "worker.py")
  (tried-wait "the findings of three servers"
              (lambda ()
                (let ((texts (mapconcat #'flymake-diagnostic-text (flymake-diagnostics) "\n")))
                  (cl-every (lambda (each) (string-match-p each texts))
                            '("BLPOP waits up to 30 s" "F401" "invalid-assignment")))))
  (message "DONE"))
