package acp
