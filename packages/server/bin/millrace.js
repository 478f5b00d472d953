#!/usr/bin/env node
import '../dist/millrace.js';
